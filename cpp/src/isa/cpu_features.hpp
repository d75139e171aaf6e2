// What this CPU offers and its operating system keeps across context switches.
#pragma once

namespace gnomon::detail {

struct CpuFeatures {
    bool avx2_fma_f16c = false;
    bool avx512_f_bw_vl_dq_vnni = false;
    bool neon_dotprod = false;
};

CpuFeatures detect_cpu_features() noexcept;

}  // namespace gnomon::detail
