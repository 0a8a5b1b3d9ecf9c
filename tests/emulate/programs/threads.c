// External interfaces: levels of threads; threads of a rank take turns in MPI.
#include "check.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

enum { workers = 3 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_key_t key;
static sem_t semaphore;
static volatile int turn;
static int sum, destroyed, round_of[workers];
static __thread int own = 7;

// In the order of their numbers each sends round the ring.
static void* pass_on(void* argument) {
    int mine = *(int*)argument, got = -1, is_main = 1;
    CHECK(own == 7);
    own = mine;
    MPI_Is_thread_main(&is_main);
    CHECK(!is_main);
    pthread_mutex_lock(&mutex);
    while (turn != mine) pthread_cond_wait(&condition, &mutex);
    int value = 10 * rank + mine;
    MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % size, mine, &got, 1, MPI_INT, (rank + size - 1) % size, mine,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(got == 10 * ((rank + size - 1) % size) + mine);
    sum += got;
    ++turn;
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&mutex);
    CHECK(own == mine); // not another's
    return argument;
}

static void rings(void) {
    pthread_t threads[workers];
    int numbers[workers], expected = 0;
    for (int i = 0; i < workers; ++i) {
        numbers[i] = i;
        expected += 10 * ((rank + size - 1) % size) + i;
        CHECK(pthread_create(&threads[i], NULL, pass_on, &numbers[i]) == 0);
        CHECK(!pthread_equal(threads[i], pthread_self()));
    }
    for (int i = 0; i < workers; ++i) {
        void* result = NULL;
        CHECK(pthread_join(threads[i], &result) == 0 && result == &numbers[i]);
    }
    CHECK(sum == expected && own == 7);
}

static void destroy(void* value) { destroyed += *(int*)value; }

static void* meet(void* argument) {
    int mine = *(int*)argument, leaders = 0;
    int* value = malloc(sizeof *value);
    *value = mine + 1;
    pthread_setspecific(key, value);
    for (int round = 0; round < 4; ++round) {
        round_of[mine] = round;
        leaders += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
        for (int i = 0; i < workers; ++i) CHECK(round_of[i] == round);
        pthread_barrier_wait(&barrier);
    }
    CHECK(pthread_getspecific(key) == value);
    sem_post(&semaphore);
    if (mine == 0) pthread_exit(NULL);
    return NULL;
}

static void meetings(void) {
    pthread_t threads[workers];
    int numbers[workers], value = 0;
    pthread_barrier_init(&barrier, NULL, workers);
    pthread_key_create(&key, destroy);
    sem_init(&semaphore, 0, 0);
    for (int i = 0; i < workers; ++i) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, meet, &numbers[i]);
    }
    for (int i = 0; i < workers; ++i) sem_wait(&semaphore);
    sem_getvalue(&semaphore, &value);
    CHECK(value == 0);
    for (int i = 0; i < workers; ++i) pthread_join(threads[i], NULL);
    CHECK(destroyed == workers * (workers + 1) / 2);
    CHECK(pthread_getspecific(key) == NULL);
}

static void* hold(void* argument) {
    pthread_mutex_lock(argument);
    sem_post(&semaphore);
    while (turn != -1) sched_yield();
    pthread_mutex_unlock(argument);
    return NULL;
}

static void locks(void) {
    pthread_mutexattr_t kind;
    pthread_mutex_t again, strict;
    pthread_t thread;
    struct timespec soon;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&again, &kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&strict, &kind);
    CHECK(pthread_mutex_lock(&again) == 0 && pthread_mutex_lock(&again) == 0 &&
          pthread_mutex_trylock(&again) == 0);
    CHECK(pthread_mutex_unlock(&again) == 0 && pthread_mutex_unlock(&again) == 0 &&
          pthread_mutex_unlock(&again) == 0);
    CHECK(pthread_mutex_unlock(&again) == EPERM);
    CHECK(pthread_mutex_lock(&strict) == 0 && pthread_mutex_lock(&strict) == EDEADLK);
    CHECK(pthread_mutex_unlock(&strict) == 0 && pthread_mutex_unlock(&strict) == EPERM);
    turn = 0;
    pthread_create(&thread, NULL, hold, &again);
    sem_wait(&semaphore);
    CHECK(pthread_mutex_trylock(&again) == EBUSY);
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec += 2000000;
    if (soon.tv_nsec >= 1000000000) {
        soon.tv_nsec -= 1000000000;
        ++soon.tv_sec;
    }
    CHECK(pthread_mutex_timedlock(&again, &soon) == ETIMEDOUT);
    turn = -1;
    CHECK(pthread_mutex_lock(&again) == 0);
    pthread_join(thread, NULL);
}

int main(int argc, char** argv) {
    int provided = -1, asked = -1, is_main = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(provided >= MPI_THREAD_SERIALIZED);
    MPI_Query_thread(&asked);
    MPI_Is_thread_main(&is_main);
    CHECK(asked == provided && is_main);
    rings();
    meetings();
    locks();
    return end();
}
