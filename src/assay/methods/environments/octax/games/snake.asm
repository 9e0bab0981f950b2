; Snake: eat, grow, and do not run into the frame or into yourself.
; The screen is a frame around 31 x 15 cells of 2 x 2 pixels. Keys: 5 up, 8 down, 7 left, 9 right.

head_x  = V3
head_y  = V4
dx      = V5
dy      = V6
food_x  = V7
food_y  = V8
head    = V9            ; index of the head in the ring of positions
tail    = VA            ; index of the last cell
grow    = VB            ; cells it still has to grow
pace    = VC            ; frames per tick
dead    = VD
score   = VE
RING    = 0x600         ; 256 positions of two bytes

start:
    CLS
    LD V0, 0                    ; the frame
    LD V1, 31
    LD V2, 0
    LD I, bar
.rows:
    DRW V0, V2, 1
    DRW V0, V1, 1
    ADD V0, 8
    SE V0, 64
    JP .rows
    LD V0, 0
    LD V1, 63
    LD V2, 1
    LD I, dot
.columns:
    DRW V0, V2, 1
    DRW V1, V2, 1
    ADD V2, 1
    SE V2, 31
    JP .columns
    LD score, 0
    LD dead, 0
    LD pace, 6
    LD head, 0
    LD tail, 0
    LD grow, 3
    LD dx, 2
    LD dy, 0
    LD head_x, 15
    LD head_y, 15
    CALL store
    CALL draw_head
    CALL new_food

tick:
    LD V0, DT
    SE V0, 0
    JP tick
    LD DT, pace

    SE dx, 0
    JP .vertical                ; going sideways: only up and down turn it
    LD V0, 7
    SKNP V0
    LD dx, -2
    LD V0, 9
    SKNP V0
    LD dx, 2
    SE dx, 0
    LD dy, 0
    JP .go
.vertical:
    LD V0, 5
    SKNP V0
    LD dy, -2
    LD V0, 8
    SKNP V0
    LD dy, 2
    SE dy, 0
    LD dx, 0

.go:
    ADD head_x, dx
    ADD head_y, dy
    SE grow, 0
    JP .longer
    LD I, RING                  ; the last cell goes
    ADD I, tail
    ADD I, tail
    LD V1, [I]
    LD I, cell
    DRW V0, V1, 2
    ADD tail, 1
    JP .head
.longer:
    ADD grow, -1
.head:
    ADD head, 1
    CALL store
    CALL draw_head
    SNE VF, 0
    JP tick
    SNE head_x, food_x          ; on something: food, or the end
    SE head_y, food_y
    JP over
    CALL draw_head              ; food and head lie on each other: draw once more
    ADD score, 1
    ADD grow, 2
    LD ST, grow
    SNE score, 100
    JP over
    SNE score, 8
    LD pace, 4
    SNE score, 16
    LD pace, 1
    CALL new_food
    JP tick

over:
    LD dead, 1
.stay:
    JP .stay

store:                          ; the head's position into the ring
    LD V0, head_x
    LD V1, head_y
    LD I, RING
    ADD I, head
    ADD I, head
    LD [I], V1
    RET

draw_head:
    LD I, cell
    DRW head_x, head_y, 2
    RET

new_food:                       ; at a free cell
    RND food_x, 0x3E
    ADD food_x, 1
    SNE food_x, 63
    JP new_food
    RND food_y, 0x1E
    ADD food_y, 1
    SNE food_y, 31
    JP new_food
    LD I, cell
    DRW food_x, food_y, 2
    SNE VF, 0
    RET
    DRW food_x, food_y, 2
    JP new_food

cell:
    sprite "##......", "##......"
bar:
    sprite "########"
dot:
    sprite "#......."
