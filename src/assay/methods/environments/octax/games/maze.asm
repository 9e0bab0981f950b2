; Maze: eat every dot; a ghost comes after you. Three lives, three mazes, each with a quicker ghost.
; 16 x 8 cells of 4 x 4 pixels. A cell is a byte: 0 empty, 1 wall, 2 dot. Keys: 5 up, 8 down, 7 left, 9 right.

me_x    = V3            ; in cells
me_y    = V4
ghost_x = V5
ghost_y = V6
left    = V7            ; dots left
turn    = V8            ; ticks
slow    = V9            ; the ghost rests when turn & slow is 0
level   = VA
dead    = VD
score   = VE
lives   = VC
CELLS   = 0x600         ; 128 bytes

start:
    LD score, 0
    LD dead, 0
    LD level, 0
    LD lives, 3

next:
    ADD level, 1
    SNE level, 4
    JP over
    LD slow, 1                  ; moves every second tick, then three of four, then seven of eight
    SNE level, 2
    LD slow, 3
    SNE level, 3
    LD slow, 7
    CLS
    CALL build

again:                          ; both at their places
    LD me_x, 1
    LD me_y, 1
    LD ghost_x, 14
    LD ghost_y, 6
    LD turn, 0
    CALL draw_me
    CALL draw_ghost
    CALL eat

tick:
    LD V0, DT
    SE V0, 0
    JP tick
    LD V0, 5
    LD DT, V0
    ADD turn, 1

    LD V1, me_x
    LD V2, me_y
    LD V0, 5
    SKNP V0
    ADD V2, -1
    LD V0, 8
    SKNP V0
    ADD V2, 1
    LD V0, 7
    SKNP V0
    ADD V1, -1
    LD V0, 9
    SKNP V0
    ADD V1, 1
    CALL look
    SNE V0, 1
    JP .ghost
    SNE V1, me_x
    SE V2, me_y
    JP .walk
    JP .ghost
.walk:
    CALL draw_me
    LD me_x, V1
    LD me_y, V2
    CALL draw_me
    CALL eat
    SNE left, 0
    JP next

.ghost:
    SE me_x, ghost_x
    JP .hunt
    SNE me_y, ghost_y
    JP caught
.hunt:
    LD V0, slow
    AND V0, turn
    SNE V0, 0
    JP tick
    RND VB, 3                   ; three of four times towards you along one axis, chosen at random
    LD V1, ghost_x
    LD V2, ghost_y
    SNE VB, 0
    JP .astray
    SHR VB, VB
    SE VF, 0
    JP .rows
    CALL by_column
    JP .try
.rows:
    CALL by_row
.try:
    CALL look
    SE V0, 1
    JP .step
    LD V1, ghost_x              ; a wall: along the other axis
    LD V2, ghost_y
    SNE VB, 0
    CALL by_row
    SE VB, 0
    CALL by_column
    CALL look
    SE V0, 1
    JP .step
    JP tick
.astray:
    RND V0, 3
    SNE V0, 0
    ADD V1, 1
    SNE V0, 1
    ADD V1, -1
    SNE V0, 2
    ADD V2, 1
    SNE V0, 3
    ADD V2, -1
    CALL look
    SNE V0, 1
    JP tick
.step:
    CALL draw_ghost
    LD ghost_x, V1
    LD ghost_y, V2
    CALL draw_ghost
    SE me_x, ghost_x
    JP tick
    SE me_y, ghost_y
    JP tick

caught:
    CALL draw_me
    CALL draw_ghost
    ADD lives, -1
    SE lives, 0
    JP again
over:
    LD dead, 1
.stay:
    JP .stay

by_column:                      ; V1 one column towards you
    SNE V1, me_x
    RET
    LD V0, V1
    SUB V0, me_x
    SE VF, 0
    ADD V1, -2
    ADD V1, 1
    RET
by_row:
    SNE V2, me_y
    RET
    LD V0, V2
    SUB V0, me_y
    SE VF, 0
    ADD V2, -2
    ADD V2, 1
    RET

point:                          ; I = the cell at column V1, row V2
    LD V0, V2
    SHL V0, V0
    SHL V0, V0
    SHL V0, V0
    SHL V0, V0
    OR V0, V1
    LD I, CELLS
    ADD I, V0
    RET
look:                           ; V0 = the cell at column V1, row V2
    CALL point
    LD V0, [I]
    RET

eat:                            ; what lies where you are
    LD V1, me_x
    LD V2, me_y
    CALL look
    SE V0, 2
    RET
    CALL point
    LD V0, 0
    LD [I], V0
    CALL draw_dot
    ADD score, 1
    ADD left, -1
    RET

build:                          ; cells and screen from the picture of the maze, two bytes a row
    LD left, 0
    LD V3, level                ; 16 bytes a picture
    ADD V3, -1
    SHL V3, V3
    SHL V3, V3
    SHL V3, V3
    SHL V3, V3
    LD V2, 0
.row:
    LD V1, 0
.cell:
    LD V0, V2
    ADD V0, V0
    SNE V1, 0
    JP .load
    SNE V1, 8
    ADD V0, 1
    SE V1, 8
    JP .have
.load:
    LD I, pictures
    ADD I, V3
    ADD I, V0
    LD V0, [I]
    LD turn, V0                 ; the bits of eight cells
.have:
    SHL turn, turn
    SE VF, 1
    JP .dot
    CALL point
    LD V0, 1
    LD [I], V0
    LD I, wall
    CALL draw_cell
    JP .on
.dot:
    CALL point
    LD V0, 2
    LD [I], V0
    CALL draw_dot
    ADD left, 1
.on:
    ADD V1, 1
    SE V1, 16
    JP .cell
    ADD V2, 1
    SE V2, 8
    JP .row
    RET

draw_me:
    LD V0, me_x
    LD VB, me_y
    LD I, me
    JP draw
draw_ghost:
    LD V0, ghost_x
    LD VB, ghost_y
    LD I, ghost
    JP draw
draw_dot:
    LD I, dot
draw_cell:                      ; I at column V1, row V2
    LD V0, V1
    LD VB, V2
draw:
    ADD V0, V0
    ADD V0, V0
    ADD VB, VB
    ADD VB, VB
    DRW V0, VB, 4
    RET

wall:
    sprite "####....", "####....", "####....", "####...."
dot:
    sprite "........", ".#......", "........", "........"
me:
    sprite "###.....", "#.#.....", "###.....", "........"
ghost:
    sprite ".#......", "###.....", "#.#.....", "........"
pictures:
    sprite "################"
    sprite "#......##......#"
    sprite "#.##.#....#.##.#"
    sprite "#.#..#.##.#..#.#"
    sprite "#...##....##...#"
    sprite "#.#....##....#.#"
    sprite "#...##....##...#"
    sprite "################"
    sprite "################"
    sprite "#...#......#...#"
    sprite "#.#.#.####.#.#.#"
    sprite "#.#...#..#...#.#"
    sprite "#.###......###.#"
    sprite "#.#...####...#.#"
    sprite "#...#......#...#"
    sprite "################"
    sprite "################"
    sprite "#..............#"
    sprite "#.##.##..##.##.#"
    sprite "#.#....##....#.#"
    sprite "#...##.##.##...#"
    sprite "#.#....##....#.#"
    sprite "#....#....#....#"
    sprite "################"
