; Paddle: a rally against the machine. Whoever misses the ball gives a point; the first with nine wins.
; The machine's bat is slower than the ball: it is beaten by balls far from it. It gets quicker with your points.
; Keys: 5 up, 8 down.

ball_x = V3
ball_y = V4
dx     = V5             ; 2 or -2
dy     = V6             ; -1, 0 or 1
mine   = V7             ; top of your bat, on the right
other  = V8             ; top of the machine's bat, on the left
theirs = VD             ; the machine's points
score  = VE             ; your points
turn   = V9             ; counts ticks
LEFT   = 2
RIGHT  = 60
BAT    = 6              ; rows of a bat

start:
    CLS
    LD score, 0
    LD theirs, 0
    LD mine, 13
    LD other, 13
    LD V0, 31
    LD V1, 0
    LD I, net
.net:
    DRW V0, V1, 4
    ADD V1, 4
    SE V1, 32
    JP .net
    CALL draw_mine
    CALL draw_other
    CALL draw_scores

serve:
    LD ball_x, 32
    RND ball_y, 15
    ADD ball_y, 8
    RND dy, 1
    SE dy, 1
    LD dy, -1
    LD dx, 2                ; towards you
    CALL draw_ball

tick:
    LD V0, DT
    SE V0, 0
    JP tick
    LD V0, 2
    LD DT, V0
    ADD turn, 1

    LD V0, 5                ; your bat
    SKP V0
    JP .down
    SNE mine, 0
    JP .machine
    CALL draw_mine
    ADD mine, -1
    CALL draw_mine
    JP .machine
.down:
    LD V0, 8
    SKP V0
    JP .machine
    SNE mine, 32 - BAT
    JP .machine
    CALL draw_mine
    ADD mine, 1
    CALL draw_mine

.machine:                   ; every second tick, and every tick once you have five points
    LD V0, 5
    SUB V0, score           ; VF = 0 above five points
    LD V1, VF
    AND V1, turn
    SE V1, 0
    JP .move
    SHR dx, dx              ; only while the ball comes: dx is negative, its highest bit is set
    LD V0, dx
    SHL dx, dx
    SE V0, 1
    CALL follow

.move:
    CALL draw_ball
    ADD ball_x, dx
    ADD ball_y, dy
    SNE ball_y, 0
    LD dy, 1
    SNE ball_y, 31
    LD dy, -1
    SNE ball_x, RIGHT - 2
    CALL at_mine
    SNE ball_x, LEFT + 2
    CALL at_other
    SNE ball_x, 64
    JP lost
    SNE ball_x, -2
    JP won
    CALL draw_ball
    JP tick

lost:
    CALL draw_scores
    ADD theirs, 1
    CALL draw_scores
    SE theirs, 9
    JP serve
    JP over
won:
    CALL draw_scores
    ADD score, 1
    CALL draw_scores
    SE score, 9
    JP serve
over:
    JP over

follow:                     ; the machine's bat goes one row towards the ball
    LD V0, ball_y
    ADD V0, -2
    SNE V0, other
    RET
    LD V1, V0
    SHL V1, V1              ; ball_y - 2 below 0: up
    SE VF, 0
    JP .up
    SUB V0, other
    SE VF, 1
    JP .up
    SNE other, 32 - BAT
    RET
    CALL draw_other
    ADD other, 1
    JP draw_other
.up:
    SNE other, 0
    RET
    CALL draw_other
    ADD other, -1
    JP draw_other

at_mine:                    ; the ball is before your bat: back with it, at an angle by where it hit
    LD V0, ball_y
    SUB V0, mine
    CALL angle
    SE V1, 0
    LD dx, -2
    RET

at_other:
    LD V0, ball_y
    SUB V0, other
    CALL angle
    SE V1, 0
    LD dx, 2
    RET

angle:                      ; V0: row of the bat that is hit. V1 = 1 and a new dy, or V1 = 0 for a miss
    LD V1, BAT - 1
    SUB V1, V0
    LD V1, VF
    SNE V1, 0
    RET
    LD V2, 1
    SUB V2, V0              ; rows 0 and 1
    SE VF, 0
    LD dy, -1
    LD V2, 3
    SUBN V2, V0             ; V0 - 3: rows 4 and 5 give 1 or more
    SNE V2, 1
    LD dy, 1
    SNE V2, 2
    LD dy, 1
    RET

draw_ball:
    LD I, ball
    DRW ball_x, ball_y, 1
    RET
draw_mine:
    LD V0, RIGHT
    LD I, bat
    DRW V0, mine, BAT
    RET
draw_other:
    LD V0, LEFT
    LD I, bat
    DRW V0, other, BAT
    RET
draw_scores:
    LD V0, 24
    LD V1, 1
    LD F, theirs
    DRW V0, V1, 5
    LD V0, 36
    LD F, score
    DRW V0, V1, 5
    RET

bat:
    sprite "##......", "##......", "##......", "##......", "##......", "##......"
ball:
    sprite "##......"
net:
    sprite "#.......", "........", "#.......", "........"
