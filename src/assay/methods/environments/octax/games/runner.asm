; Runner: jump over cacti, duck under birds. One hit ends the run.
; Keys: 5 jump, 8 duck.

phase  = V3             ; of the jump: 0 on the ground, then 1 to 16
runner = V4             ; top of the runner
shape  = V5             ; 0 running, 1 ducking
kind   = V6             ; of the obstacle: 0 cactus, 1 tall cactus, 2 bird
x      = V7             ; of the obstacle
y      = V8
step   = V9             ; pixels per tick
rest   = VA             ; ticks until the next obstacle
dead   = VD
score  = VE
AT     = 8              ; column of the runner
GROUND = 29
FEET   = 21             ; top of a runner on the ground

start:
    CLS
    LD score, 0
    LD dead, 0
    LD step, 2
    LD phase, 0
    LD shape, 0
    LD runner, FEET
    LD rest, 8
    LD V0, 0
    LD V1, GROUND
    LD I, ground
.ground:
    DRW V0, V1, 2
    ADD V0, 8
    SE V0, 64
    JP .ground
    CALL draw_score
    CALL draw_runner

tick:
    LD V0, DT
    SE V0, 0
    JP tick
    LD V0, 3
    LD DT, V0

    SE rest, 0
    JP .waiting
    CALL draw_obstacle          ; away
    SUB x, step
    LD V0, x
    SHL V0, V0                  ; past the left edge: its highest bit is set
    SE VF, 1
    JP .still_there
    CALL draw_score
    ADD score, 1
    CALL draw_score
    SNE score, 200
    JP over
    SNE score, 10
    LD step, 3
    SNE score, 25
    LD step, 4
    RND rest, 15
    ADD rest, 3
    JP .runner
.still_there:
    CALL draw_obstacle
    JP .runner
.waiting:
    ADD rest, -1
    SE rest, 0
    JP .runner
    LD x, 60
    RND kind, 3
    SNE kind, 3
    LD kind, 2
    LD y, 22
    SNE kind, 1
    LD y, 20
    SNE kind, 2
    LD y, 17
    CALL draw_obstacle

.runner:                        ; where it will be: shape in VB, top in VC
    LD VB, 0
    SE phase, 0
    JP .in_the_air
    LD V0, 8
    SKNP V0
    LD VB, 1
    LD V0, 5
    SKP V0
    JP .place
    LD VB, 0
.in_the_air:
    ADD phase, 1
    SNE phase, 16
    LD phase, 0
.place:
    LD I, heights
    ADD I, phase
    LD V0, [I]
    LD VC, FEET
    SUB VC, V0
    CALL draw_runner            ; away, and at once where it is now
    LD shape, VB
    LD runner, VC
    CALL draw_runner
    SNE VF, 0
    JP tick

over:
    LD dead, 1
.stay:
    JP .stay

draw_runner:
    LD V0, AT
    LD V1, runner
    LD I, upright
    SNE shape, 0
    JP .draw
    LD I, ducked
    ADD V1, 4
    DRW V0, V1, 4
    RET
.draw:
    DRW V0, V1, 8
    RET

draw_obstacle:
    SNE kind, 0
    JP .small
    SNE kind, 1
    JP .tall
    LD I, bird
    DRW x, y, 5
    RET
.small:
    LD I, cactus
    DRW x, y, 7
    RET
.tall:
    LD I, tall
    DRW x, y, 9
    RET

draw_score:
    LD I, digits
    LD B, score
    LD V2, [I]
    LD VB, 49
    LD VC, 1
    LD F, V0
    DRW VB, VC, 5
    ADD VB, 5
    LD F, V1
    DRW VB, VC, 5
    ADD VB, 5
    LD F, V2
    DRW VB, VC, 5
    RET

heights:
    byte 0, 3, 6, 8, 10, 11, 12, 12, 12, 12, 11, 10, 8, 6, 3, 1
upright:
    sprite "..###...", "..#.#...", "..###...", ".###....", "#.###...", "..##....", ".#..#...", ".#..##.."
ducked:
    sprite "....###.", "######.#", "..#####.", ".#..#..."
cactus:
    sprite "..#.....", "#.#.#...", "#.#.#...", "#####...", "..#.....", "..#.....", "..#....."
tall:
    sprite "..#.....", "..#.#...", "#.#.#...", "#.###...", "###.....", "..#.....", "..#.....", "..#.....", "..#....."
bird:
    sprite ".#......", "##..#...", ".#####..", "..###...", "...#...."
ground:
    sprite "########", ".#...#.."
digits:
    space 3
