#pragma once

namespace ulpfuzz {

/// The report: outputs of rows 0 to 9 evaluated in a batch of 10, minus those in one of 10000.
inline constexpr float reported[20] = {-0.000144422054f,
                                       0.000109992921f,
                                       -5.95152378e-05f,
                                       -9.17166471e-06f,
                                       1.48415565e-05f,
                                       5.61326742e-05f,
                                       0,
                                       0,
                                       -9.16421413e-06f,
                                       -2.54660845e-05f,
                                       3.88324261e-05f,
                                       -3.31103802e-05f,
                                       3.38256359e-05f,
                                       -2.49464065e-05f,
                                       4.09185886e-05f,
                                       -3.22163105e-05f,
                                       0.000136017799f,
                                       8.76933336e-06f,
                                       0,
                                       0};

}  // namespace ulpfuzz
