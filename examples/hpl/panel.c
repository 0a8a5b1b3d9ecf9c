/* HPL's panel in partially shared memory, without a change to HPL: linked with -Wl,--wrap=HPL_pdpanel_init, this stands between
 * HPL and its function that allocates a panel. Of a panel, the pivots (DPIV, JB numbers) and the error code behind them (DINFO) are
 * the rank's own; L2, L1 before them and U behind them are shared by all ranks. It does so only if HPL's own block was shared
 * (--share-above): without that, and without the emulator, nothing changes. */
#include "hpl.h"

#include <orrery/emulate.h>

void __real_HPL_pdpanel_init(HPL_T_grid*, HPL_T_palg*, int, int, int, HPL_T_pmat*, int, int, int, HPL_T_panel*);

static double* moved(double* pointer, const char* from, size_t bytes, char* to) {
    const char* const at = (const char*)pointer;
    return pointer != NULL && at >= from && at < from + bytes ? (double*)(to + (at - from)) : pointer;
}

void __wrap_HPL_pdpanel_init(HPL_T_grid* grid, HPL_T_palg* algo, int m, int n, int jb, HPL_T_pmat* a, int ia, int ja,
                             int tag, HPL_T_panel* panel) {
    __real_HPL_pdpanel_init(grid, algo, m, n, jb, a, ia, ja, tag, panel);
    if (!orrery_is_shared(panel->WORK)) return;

    char* const old = (char*)panel->WORK;
    const size_t before = (size_t)((char*)panel->DPIV - old);
    const size_t own = ((size_t)jb + 1) * sizeof(double);
    int columns = 0; /* of U */
    if (grid->nprow > 1) columns = grid->npcol == 1 || grid->mycol == panel->pcol ? panel->nq - jb : panel->nq;
    const size_t behind = columns > 0 ? (size_t)jb * (size_t)columns * sizeof(double) : 0;
    const size_t bytes = before + own + behind;
    const size_t shared[] = {0, before, before + own, bytes};

    char* const block = (char*)ORRERY_PARTIAL_SHARED_MALLOC(bytes, shared, 2);
    if (block == NULL) HPL_pabort(__LINE__, "HPL_pdpanel_init", "no partially shared memory");
    panel->L2 = moved(panel->L2, old, bytes, block); /* unless it is in A */
    panel->L1 = moved(panel->L1, old, bytes, block);
    panel->DPIV = moved(panel->DPIV, old, bytes, block);
    panel->DINFO = moved(panel->DINFO, old, bytes, block);
    if (panel->U != NULL) panel->U = panel->DINFO + 1; /* may be empty, then it is behind the end */
    panel->WORK = (void*)block;
    *panel->DINFO = 0.0;
    free(old);
}
