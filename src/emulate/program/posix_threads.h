// Those functions of libc_threads.cpp that the C++ library's are made of.
#pragma once

#include "emulate/program/threads.h"

#include <pthread.h>

namespace orrery::emulate::posix {

int create(pthread_t* out, const pthread_attr_t* attributes, Thread::Body body, void* argument);
int join(pthread_t handle, void** result);
int detach(pthread_t handle);
int cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex);
int cond_signal(pthread_cond_t* condition);
int cond_broadcast(pthread_cond_t* condition);

} // namespace orrery::emulate::posix
