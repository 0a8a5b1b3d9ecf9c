/* A function of another file, which the loader can replace. */
int answer(void);
int main(void) { return answer(); }
