#pragma once

#include <vector>

#include "boundary_asker.hpp"
#include "ulpfuzz/shrink/boundary.hpp"

namespace ulpfuzz::shrinking {

// The kinds of boundaries, each within what is left of the budget.
void size_boundaries(Asker& asker, std::vector<Boundary>& found);
void row_boundaries(Asker& asker, const Subject& subject, std::vector<Boundary>& found);
void alignment_boundaries(Asker& asker, std::vector<Boundary>& found);
void value_boundaries(Asker& asker, std::vector<Boundary>& found);

}  // namespace ulpfuzz::shrinking
