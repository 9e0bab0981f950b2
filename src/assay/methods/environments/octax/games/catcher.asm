; Catcher: fruit falls, a basket catches it. Three misses end the game; every eighth fruit makes it faster.
; Keys: 7 left, 9 right.

basket  = VA            ; left edge of the basket
fruit_x = VB
fruit_y = VC
lives   = VD
score   = VE
pace    = V9            ; frames per tick
CATCH_Y = 25            ; where the fruit's top is when it reaches the basket
BASKET_Y = 28

start:
    CLS
    LD lives, 3
    LD score, 0
    LD pace, 4
    LD basket, 28
    LD V1, 0
    LD V2, 31
    LD I, ground
.ground:
    DRW V1, V2, 1
    ADD V1, 8
    SE V1, 64
    JP .ground
    CALL draw_basket
    CALL draw_score
    CALL draw_lives

drop:
    RND fruit_x, 0x3F           ; 0 to 59: the last four fold back
    LD V0, 59
    SUB V0, fruit_x
    SE VF, 1
    ADD fruit_x, -32
    LD fruit_y, 6
    CALL draw_fruit

tick:
    LD V0, DT
    SE V0, 0
    JP tick
    LD DT, pace

    LD V0, 7
    SKP V0
    JP .right
    SNE basket, 1
    JP .fall
    CALL draw_basket
    ADD basket, -3
    CALL draw_basket
    JP .fall
.right:
    LD V0, 9
    SKP V0
    JP .fall
    SNE basket, 55
    JP .fall
    CALL draw_basket
    ADD basket, 3
    CALL draw_basket

.fall:
    CALL draw_fruit
    ADD fruit_y, 1
    SNE fruit_y, CATCH_Y
    JP landed
    CALL draw_fruit
    JP tick

landed:
    LD V0, fruit_x              ; caught where fruit_x - basket is -3 to 7
    SUB V0, basket
    ADD V0, 3
    LD V1, 10
    SUB V1, V0
    SE VF, 1
    JP missed
    CALL draw_score
    ADD score, 1
    CALL draw_score
    LD ST, pace
    SNE score, 200
    JP over
    LD V0, 7                    ; faster after every eighth
    AND V0, score
    SE V0, 0
    JP drop
    SE pace, 1
    ADD pace, -1
    JP drop

missed:
    CALL draw_lives
    ADD lives, -1
    CALL draw_lives
    SE lives, 0
    JP drop

over:
    JP over

draw_basket:
    LD V2, BASKET_Y
    LD I, basket_sprite
    DRW basket, V2, 3
    RET

draw_fruit:
    LD I, fruit_sprite
    DRW fruit_x, fruit_y, 4
    RET

draw_lives:
    LD I, lives_sprite          ; as many rows as lives
    LD V1, 1
    LD V2, 0
    SNE lives, 0
    RET
    DRW V1, V2, 2
    ADD V1, 6
    SNE lives, 1
    RET
    DRW V1, V2, 2
    ADD V1, 6
    SNE lives, 2
    RET
    DRW V1, V2, 2
    RET

draw_score:
    LD I, digits
    LD B, score
    LD V2, [I]
    LD V4, 0
    LD V3, 49
    LD F, V0
    DRW V3, V4, 5
    ADD V3, 5
    LD F, V1
    DRW V3, V4, 5
    ADD V3, 5
    LD F, V2
    DRW V3, V4, 5
    RET

basket_sprite:
    sprite "#......#", ".#....#."
    sprite "..####.."
fruit_sprite:
    sprite "..#.....", ".##.....", "####....", ".##....."
lives_sprite:
    sprite "#...#...", ".###...."
ground:
    sprite "########"
digits:
    space 3
