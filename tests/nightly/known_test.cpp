#include <gtest/gtest.h>

#include "ulpfuzz/nightly/corpus.hpp"
