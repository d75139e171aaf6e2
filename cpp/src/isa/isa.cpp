// The chooser: what runs here, in order of preference, and what GNOMON_ISA forces.
#include "gnomon/isa.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "gnomon/errors.hpp"
#include "isa/cpu_features.hpp"
#include "isa/target_region.hpp"

namespace gnomon {

namespace {

std::string names_of(const std::vector<Isa>& isas) {
    std::string names;
    for (const Isa isa : isas) {
        names += names.empty() ? "" : ", ";
        names += isa_name(isa);
    }
    return names;
}

}  // namespace

const char* isa_name(Isa isa) noexcept {
    switch (isa) {
    case Isa::avx2: return "avx2";
    case Isa::avx512: return "avx512";
    case Isa::neon: return "neon";
    default: return "scalar";
    }
}

std::vector<Isa> runnable_isas() {
    static const detail::CpuFeatures features = detail::detect_cpu_features();
    std::vector<Isa> isas{Isa::scalar};
    if (features.avx2_fma_f16c) {
        isas.push_back(Isa::avx2);
    }
    if (features.avx512_f_bw_vl_dq_vnni) {
        isas.push_back(Isa::avx512);
    }
    if (features.neon_dotprod) {
        isas.push_back(Isa::neon);
    }
    return isas;
}

Isa chosen_isa() {
    const std::vector<Isa> runnable = runnable_isas();
    const char* forced = std::getenv("GNOMON_ISA");
    if (forced == nullptr || *forced == '\0') {
        return runnable.back();
    }
    const std::string name(forced);
    const auto named = [&name](Isa isa) { return name == isa_name(isa); };
    const auto found = std::find_if(runnable.begin(), runnable.end(), named);
    if (found != runnable.end()) {
        return *found;
    }
    constexpr std::array kAll{Isa::scalar, Isa::avx2, Isa::avx512, Isa::neon};
    const bool known = std::any_of(kAll.begin(), kAll.end(), named);
    throw SettingError("GNOMON_ISA is \"" + name + "\", which " +
                       (known ? "this machine can't run" : "is not an instruction set of gnomon") +
                       "; set it to one of: " + names_of(runnable));
}

}  // namespace gnomon
