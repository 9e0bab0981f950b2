; Shooter: saucers come down, a gun shoots them. Three that reach the ground end the game.
; Two saucers at a time, each with five bytes: x, y, dx, ticks until it sinks, alive.
; Keys: 7 left, 9 right, 5 fire.

x      = V0             ; of the saucer at hand
y      = V1
dx     = V2             ; 1 or -1
sink   = V3
gun    = V5             ; left edge of the gun
shot_x = V6
shot_y = V7             ; 0: no shot in the air
which  = V8             ; 0 or 5: which saucer
every  = V9             ; ticks in a row
lives  = VD
score  = VE
GUN_Y  = 28
LOWEST = 24             ; a saucer here has landed

start:
    CLS
    LD lives, 3
    LD score, 0
    LD every, 5
    LD gun, 28
    LD shot_y, 0
    CALL draw_gun
    CALL draw_lives
    CALL draw_score
    LD which, 0
    CALL fresh
    LD which, 5
    CALL fresh

tick:
    LD V0, DT
    SE V0, 0
    JP tick
    LD V0, 3
    LD DT, V0

    LD V4, gun
    LD V0, 7
    SKNP V0
    ADD V4, -2
    LD V0, 9
    SKNP V0
    ADD V4, 2
    SNE V4, -2
    LD V4, 0
    SNE V4, 58
    LD V4, 56
    SNE V4, gun
    JP .fire
    CALL draw_gun
    LD gun, V4
    CALL draw_gun
.fire:
    SE shot_y, 0
    JP .fly
    LD V0, 5
    SKP V0
    JP .saucers
    LD shot_x, gun
    ADD shot_x, 3
    LD shot_y, 26
    CALL draw_shot
    JP .saucers
.fly:
    CALL draw_shot
    ADD shot_y, -4
    LD V0, shot_y
    SHL V0, V0
    SE VF, 0
    LD shot_y, 0
    SNE shot_y, 2
    LD shot_y, 0
    SE shot_y, 0
    CALL draw_shot

.saucers:
    LD V0, 5                    ; the other one
    XOR which, V0
    CALL load
    CALL draw_saucer            ; away
    ADD x, dx
    SNE x, 0
    LD dx, 1
    SNE x, 56
    LD dx, -1
    ADD sink, -1
    SE sink, 0
    JP .stays
    LD sink, every
    ADD y, 1
.stays:
    CALL draw_saucer
    CALL store
    SNE y, LOWEST
    JP landed

    SNE shot_y, 0               ; hit where the shot is at columns 0 to 7 and rows -1 to 4
    JP tick
    LD V4, shot_x
    SUB V4, x
    LD VA, 7
    SUB VA, V4
    SE VF, 1
    JP tick
    LD V4, shot_y
    SUB V4, y
    ADD V4, 1
    LD VA, 5
    SUB VA, V4
    SE VF, 1
    JP tick
    CALL draw_saucer
    CALL draw_shot
    LD shot_y, 0
    CALL draw_score
    ADD score, 1
    CALL draw_score
    LD ST, sink
    SNE score, 200
    JP over
    LD V0, 15                   ; every sixteenth makes the rest sink faster
    AND V0, score
    SE V0, 0
    JP .next
    SE every, 1
    ADD every, -1
.next:
    CALL fresh
    JP tick

landed:
    CALL draw_saucer
    CALL draw_lives
    ADD lives, -1
    CALL draw_lives
    SNE lives, 0
    JP over
    CALL fresh
    JP tick
over:
    JP over

fresh:                          ; a new saucer at the top
    RND x, 31
    ADD x, 12
    RND y, 1
    ADD y, 6
    RND dx, 1
    SE dx, 1
    LD dx, -1
    LD sink, every
    CALL draw_saucer
store:
    LD I, saucers
    ADD I, which
    LD [I], V3
    RET
load:
    LD I, saucers
    ADD I, which
    LD V3, [I]
    RET

draw_saucer:
    LD I, saucer
    DRW x, y, 4
    RET
draw_gun:
    LD VA, GUN_Y
    LD I, gun_sprite
    DRW gun, VA, 4
    RET
draw_shot:
    LD I, shot
    DRW shot_x, shot_y, 2
    RET
draw_lives:
    LD I, small_gun
    LD VB, 1
    LD VC, 1
    LD VA, lives
.next:
    SNE VA, 0
    RET
    DRW VB, VC, 3
    ADD VB, 5
    ADD VA, -1
    JP .next
draw_score:
    LD I, digits
    LD B, score
    LD V2, [I]
    LD VB, 49
    LD VC, 0
    LD F, V0
    DRW VB, VC, 5
    ADD VB, 5
    LD F, V1
    DRW VB, VC, 5
    ADD VB, 5
    LD F, V2
    DRW VB, VC, 5
    RET

saucer:
    sprite "..####..", ".######.", "##.##.##", ".######."
gun_sprite:
    sprite "...##...", "...##...", ".######.", "########"
small_gun:
    sprite ".#......", "###.....", "###....."
shot:
    sprite "#.......", "#......."
saucers:
    space 10
digits:
    space 3
