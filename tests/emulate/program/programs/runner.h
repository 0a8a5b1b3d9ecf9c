/* What the tests' runner gives a program; a program that is started by itself is the one rank. */
#ifdef __cplusplus
extern "C" {
#endif
int runner_rank(void) __attribute__((weak));
int runner_size(void) __attribute__((weak));
void runner_yield(void) __attribute__((weak));
int* runner_where(int rank, int* address) __attribute__((weak));
#ifdef __cplusplus
}
#endif
static inline int my_rank(void) { return runner_rank ? runner_rank() : 0; }
static inline int my_size(void) { return runner_size ? runner_size() : 1; }
static inline void yield(void) {
    if (runner_yield) runner_yield();
}
