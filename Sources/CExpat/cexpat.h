#ifndef HUDDLE_CEXPAT_H
#define HUDDLE_CEXPAT_H

#include <expat.h>

#endif
