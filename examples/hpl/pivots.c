/* HPL_pipid, the list of the rows that a panel exchanges, in linear time: HPL searches the list for each pivot, and every rank makes
 * the whole list at every step. Linked with -Wl,--wrap=HPL_pipid. The list is the same, number for number: pairs of a row and where it
 * goes; where each destination stands is looked up in a table instead. */
#include "hpl.h"

#include <stdlib.h>

typedef struct {
    int row;
    int place; /* of the row among the destinations; 0: the entry is empty */
} Entry;

typedef struct {
    Entry* entries;
    unsigned mask;
} Table;

static Entry* entry_of(const Table* table, int row) {
    unsigned at = (unsigned)row * 2654435769u >> 7 & table->mask;
    while (table->entries[at].place != 0 && table->entries[at].row != row) at = (at + 1) & table->mask;
    return &table->entries[at];
}

static void put(const Table* table, int* list, int place, int row) {
    Entry* const entry = entry_of(table, row);
    entry->row = row;
    entry->place = place;
    list[place] = row;
}

static void trade(const Table* table, int* list, int a, int b) {
    const int source = list[a], destination = list[a + 1];
    list[a] = list[b];
    put(table, list, a + 1, list[b + 1]);
    list[b] = source;
    put(table, list, b + 1, destination);
}

void __wrap_HPL_pipid(HPL_T_panel* panel, int* length, int* list) {
    Table table = {NULL, 511};
    while (table.mask < 8u * (unsigned)panel->jb) table.mask = 2 * table.mask + 1;
    table.entries = calloc(table.mask + 1u, sizeof(Entry));
    if (table.entries == NULL) HPL_pabort(__LINE__, "HPL_pipid", "no memory");

    *length = 0;
    for (int i = 0; i < panel->jb; ++i) {
        const int row = panel->ia + i, pivot = (int)panel->DPIV[i];
        const int to_row = entry_of(&table, row)->place, to_pivot = entry_of(&table, pivot)->place;
        int last = 0; /* the pair whose destination is `row` */
        if (row != pivot && to_row == 0 && i > 0) {
            list[*length] = row;
            put(&table, list, *length + 1, pivot);
            *length += 2;
        } else if (row != pivot && to_row != 0) {
            put(&table, list, to_row, pivot);
        }
        if (to_pivot != 0) {
            last = to_pivot - 1;
        } else {
            last = *length;
            list[last] = pivot;
            *length += 2;
        }
        put(&table, list, last + 1, row);
        if (i == 0 && row != pivot) {
            list[*length] = row;
            put(&table, list, *length + 1, pivot);
            *length += 2;
        }
        if (last != 2 * i) trade(&table, list, last, 2 * i);
    }
    free(table.entries);
}
