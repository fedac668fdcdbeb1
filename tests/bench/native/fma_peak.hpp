#pragma once

// Does rounds * (as many multiply-adds as a processor can have under way), all between registers,
// and returns how many floating-point operations that was: two for each multiply-add. Where there
// is no fused instruction it is a multiplication and an addition.
extern "C" double fma_peak(int rounds);
