; Brick: a ball, a bat, a wall of 64 bricks. A ball that passes the bat is lost; three balls. Every wall is played faster.
; Keys: 7 left, 9 right.

ball_x = V3
ball_y = V4
dx     = V5             ; 1 or -1
dy     = V6             ; 1 or -1
bat    = VA             ; left edge of the bat
left   = V9             ; bricks left in this wall
pace   = V8             ; frames per tick
level  = VB
lives  = VD
score  = VE
BAT_Y  = 30
CEILING = 5
TOP    = 8              ; first row of bricks; rows 8, 10, 12 and 14

start:
    CLS
    LD lives, 3
    LD score, 0
    LD bat, 28
    LD pace, 3
    LD level, 0
    LD V0, 0
    LD V1, CEILING
    LD I, bat_sprite
.ceiling:
    DRW V0, V1, 1
    ADD V0, 8
    SE V0, 64
    JP .ceiling
    CALL draw_bat
    CALL draw_lives
    CALL draw_score

wall:
    ADD level, 1
    SNE level, 4
    JP over
    LD left, 64
    LD I, brick
    LD V1, TOP
.row:
    LD V0, 0
.brick:
    DRW V0, V1, 1
    ADD V0, 4
    SE V0, 64
    JP .brick
    ADD V1, 2
    SE V1, TOP + 8
    JP .row

serve:
    RND ball_x, 31
    ADD ball_x, 16
    LD ball_y, 18
    LD dy, 1
    RND dx, 1
    SE dx, 1
    LD dx, -1
    CALL draw_ball

tick:
    LD V0, DT
    SE V0, 0
    JP tick
    LD DT, pace

    LD V0, 7
    SKP V0
    JP .right
    SNE bat, 1
    JP .move
    CALL draw_bat
    ADD bat, -3
    CALL draw_bat
    JP .move
.right:
    LD V0, 9
    SKP V0
    JP .move
    SNE bat, 55
    JP .move
    CALL draw_bat
    ADD bat, 3
    CALL draw_bat

.move:
    CALL draw_ball              ; away from where it is
    ADD ball_x, dx
    ADD ball_y, dy
    SNE ball_x, 0
    LD dx, 1
    SNE ball_x, 63
    LD dx, -1
    SNE ball_y, CEILING + 1
    LD dy, 1
    SNE ball_y, BAT_Y
    JP at_bat
    SNE ball_y, 31
    JP lost
    CALL draw_ball
    SE VF, 0
    CALL hit
    SE left, 0
    JP tick
    CALL draw_ball              ; the wall is gone: the next one, faster
    ADD pace, -1
    JP wall

at_bat:
    LD V0, ball_x               ; columns of the bat: 0 to 7
    SUB V0, bat
    LD V1, 7
    SUB V1, V0
    SE VF, 1
    JP .miss
    LD dy, -1
    LD dx, 1                    ; right half: to the right
    LD V1, 3
    SUB V1, V0
    SE VF, 0
    LD dx, -1
    ADD ball_y, -1
    RND V0, 1                   ; a little spin, so that no path repeats for ever
    ADD ball_x, V0
    SNE ball_x, 63
    LD dx, -1
.miss:
    CALL draw_ball
    JP tick

lost:
    CALL draw_lives
    ADD lives, -1
    CALL draw_lives
    SE lives, 0
    JP serve
over:
    JP over

hit:                            ; the ball lies on a brick
    LD V1, TOP + 7              ; not below the wall
    SUB V1, ball_y
    SE VF, 1
    RET
    CALL draw_ball
    LD V0, 0xFC
    AND V0, ball_x
    LD I, brick
    DRW V0, ball_y, 1           ; the brick goes
    CALL draw_ball
    LD V0, -1                   ; dy turns round
    XOR dy, V0
    ADD dy, 1
    CALL draw_score
    ADD score, 1
    CALL draw_score
    ADD left, -1
    RET

draw_ball:
    LD I, dot
    DRW ball_x, ball_y, 1
    RET
draw_bat:
    LD V2, BAT_Y
    LD I, bat_sprite
    DRW bat, V2, 1
    RET
draw_lives:
    LD I, dot
    LD V1, 1
    LD V2, 1
    LD V7, lives
.next:
    SNE V7, 0
    RET
    DRW V1, V2, 1
    ADD V1, 2
    ADD V7, -1
    JP .next
draw_score:
    LD I, digits
    LD B, score
    LD V2, [I]
    LD V7, 0
    LD VC, 49
    LD F, V0
    DRW VC, V7, 5
    ADD VC, 5
    LD F, V1
    DRW VC, V7, 5
    ADD VC, 5
    LD F, V2
    DRW VC, V7, 5
    RET

brick:
    sprite "###....."
bat_sprite:
    sprite "########"
dot:
    sprite "#......."
digits:
    space 3
