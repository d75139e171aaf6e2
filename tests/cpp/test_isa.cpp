#include <algorithm>

#include "gnomon/errors.hpp"
#include "support.hpp"

using gnomon::chosen_isa;
using gnomon::Isa;
using gnomon::isa_name;
using gnomon::runnable_isas;
using gnomon::testing::ScopedVariable;

TEST_CASE("scalar always runs, and comes first") { CHECK(runnable_isas().front() == Isa::scalar); }

TEST_CASE("without GNOMON_ISA the best runnable set is chosen") {
    for (const char* nothing : {static_cast<const char*>(nullptr), ""}) {
        const ScopedVariable variable("GNOMON_ISA", nothing);
        CHECK(chosen_isa() == runnable_isas().back());
    }
}

TEST_CASE("GNOMON_ISA forces every runnable set") {
    for (const Isa isa : runnable_isas()) {
        const ScopedVariable variable("GNOMON_ISA", isa_name(isa));
        CHECK(chosen_isa() == isa);
    }
}

TEST_CASE("an unknown name is refused with the right ones") {
    for (const char* wrong : {"sse9", "AVX2", " scalar", "avx2,avx512"}) {
        const ScopedVariable variable("GNOMON_ISA", wrong);
        CHECK_THROWS_WITH_AS(chosen_isa(), doctest::Contains("is not an instruction set of gnomon"),
                             gnomon::SettingError);
        CHECK_THROWS_WITH_AS(chosen_isa(), doctest::Contains("set it to one of: scalar"),
                             gnomon::SettingError);
    }
}

TEST_CASE("a known name that can't run here is refused, never replaced") {
    const std::vector<Isa> runnable = runnable_isas();
    for (const Isa isa : {Isa::avx2, Isa::avx512, Isa::neon}) {
        if (std::find(runnable.begin(), runnable.end(), isa) != runnable.end()) {
            continue;
        }
        const ScopedVariable variable("GNOMON_ISA", isa_name(isa));
        CHECK_THROWS_WITH_AS(chosen_isa(), doctest::Contains("which this machine can't run"),
                             gnomon::SettingError);
    }
}
