#include "ulpfuzz/search/features.hpp"

#include <gtest/gtest.h>
