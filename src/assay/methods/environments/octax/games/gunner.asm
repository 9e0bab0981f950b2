; Gunner: hunt targets before the fuel runs out. Every hit brings fuel; targets move quicker as you hit more.
; Keys: 5 up, 8 down, 7 left, 9 right, 6 fire.

x       = V3
y       = V4
face    = V5            ; 0 up, 8 down, 16 left, 24 right: where its picture lies
aim_x   = V6            ; the target
aim_y   = V7
shot_x  = V8
shot_y  = V9            ; 255: no shot in the air
flight  = VA            ; direction of the shot, as face
turn    = VB            ; ticks
mask    = VC            ; the target moves when turn & mask is 0
fuel    = VD
score   = VE
TOP     = 4             ; rows above hold the fuel

start:
    CLS
    LD score, 0
    LD fuel, 64
    LD turn, 0
    LD mask, 7
    LD x, 28
    LD y, 16
    LD face, 0
    LD shot_y, 255
    LD V0, 0
    LD V1, 0
    LD I, bar
.bar:
    DRW V0, V1, 2
    ADD V0, 8
    SE V0, 64
    JP .bar
    CALL draw_tank
    CALL new_target

tick:
    LD V0, DT
    SE V0, 0
    JP tick
    LD V0, 3
    LD DT, V0
    ADD turn, 1

    LD V0, 7                    ; every eighth tick costs fuel
    AND V0, turn
    SE V0, 0
    JP .drive
    ADD fuel, -1
    CALL draw_fuel
    SNE fuel, 0
    JP over

.drive:
    LD V0, x                    ; where it goes: column V0, row V1, facing V2
    LD V1, y
    LD V2, face
    LD VF, 5
    SKP VF
    JP .down
    LD V2, 0
    ADD V1, -2
.down:
    LD VF, 8
    SKP VF
    JP .left
    LD V2, 8
    ADD V1, 2
.left:
    LD VF, 7
    SKP VF
    JP .right
    LD V2, 16
    ADD V0, -2
.right:
    LD VF, 9
    SKP VF
    JP .edges
    LD V2, 24
    ADD V0, 2
.edges:
    SNE V0, -2
    LD V0, 0
    SNE V0, 58
    LD V0, 56
    SNE V1, TOP - 2
    LD V1, TOP
    SNE V1, 26
    LD V1, 24
    SNE V0, x
    SE V1, y
    JP .moves
    SNE V2, face
    JP .gun
.moves:
    CALL draw_tank
    LD x, V0
    LD y, V1
    LD face, V2
    CALL draw_tank

.gun:
    SE shot_y, 255
    JP .fly
    LD V0, 6
    SKP V0
    JP .target
    LD flight, face
    LD shot_x, x
    ADD shot_x, 3
    LD shot_y, y
    ADD shot_y, 3
    JP .show
.fly:
    CALL draw_shot
    SNE flight, 0
    ADD shot_y, -4
    SNE flight, 8
    ADD shot_y, 4
    SNE flight, 16
    ADD shot_x, -4
    SNE flight, 24
    ADD shot_x, 4
    LD V0, 63                   ; off the screen?
    SUB V0, shot_x
    SE VF, 1
    JP .gone
    LD V0, shot_y
    ADD V0, -TOP
    LD V1, 31 - TOP
    SUB V1, V0
    SE VF, 1
    JP .gone
.show:
    CALL draw_shot
    JP .target
.gone:
    LD shot_y, 255

.target:
    LD V0, mask
    AND V0, turn
    SNE V0, 0
    CALL wander
    SNE shot_y, 255
    JP tick
    LD V0, shot_x               ; hit: the shot lies within 6 columns and rows
    SUB V0, aim_x
    ADD V0, 1
    LD V1, 6
    SUB V1, V0
    SE VF, 1
    JP tick
    LD V0, shot_y
    SUB V0, aim_y
    ADD V0, 1
    LD V1, 6
    SUB V1, V0
    SE VF, 1
    JP tick
    CALL draw_shot
    LD shot_y, 255
    CALL draw_target
    CALL new_target
    ADD score, 1
    LD ST, mask
    SNE score, 100
    JP over
    SNE score, 8
    LD mask, 3
    SNE score, 20
    LD mask, 1
    CALL more_fuel
    JP tick

over:
    LD fuel, 0
.stay:
    JP .stay

more_fuel:                      ; six more, 64 at most
    LD V2, 6
.one:
    SNE fuel, 64
    RET
    CALL draw_fuel
    ADD fuel, 1
    ADD V2, -1
    SE V2, 0
    JP .one
    RET

draw_fuel:                      ; the column at `fuel` comes or goes
    LD V0, 0
    LD I, column
    DRW fuel, V0, 2
    RET

new_target:
    RND aim_x, 0x38
    RND aim_y, 15
    ADD aim_y, TOP + 2
    LD V0, aim_x                ; not on the tank
    SUB V0, x
    ADD V0, 8
    LD V1, 16
    SUB V1, V0
    SNE VF, 1
    JP new_target
draw_target:
    LD I, target
    DRW aim_x, aim_y, 5
    RET

wander:                         ; one pixel in a random direction, inside the field
    CALL draw_target
    RND V0, 3
    SNE V0, 0
    ADD aim_x, 1
    SNE V0, 1
    ADD aim_x, -1
    SNE V0, 2
    ADD aim_y, 1
    SNE V0, 3
    ADD aim_y, -1
    SNE aim_x, -1
    LD aim_x, 0
    SNE aim_x, 60
    LD aim_x, 59
    SNE aim_y, TOP - 1
    LD aim_y, TOP
    SNE aim_y, 28
    LD aim_y, 27
    JP draw_target

draw_tank:
    LD I, tank
    ADD I, face
    DRW x, y, 7
    RET
draw_shot:
    LD I, shot
    DRW shot_x, shot_y, 1
    RET

tank:
    sprite "...#....", "...#....", "##.#.##.", "#######.", "##.#.##.", "##...##.", "##...##.", "........"
    sprite "##...##.", "##...##.", "##.#.##.", "#######.", "##.#.##.", "...#....", "...#....", "........"
    sprite "..#####.", "..#####.", "...#....", "####....", "...#....", "..#####.", "..#####.", "........"
    sprite "#####...", "#####...", "...#....", "...####.", "...#....", "#####...", "#####...", "........"
target:
    sprite ".###....", "#...#...", "#.#.#...", "#...#...", ".###...."
shot:
    sprite "##......"
bar:
    sprite "########", "########"
column:
    sprite "#.......", "#......."
