// The file of a prepared index: format 1.
//
// Little-endian. Offsets are from the start of the file; every part begins on a page of 4,096
// bytes, and the gaps are zeros.
//   header     one page: magic "gnomonVI", version (u32), byte-order mark 0x01020304 (u32), then
//   the
//              u64 fields of cosine/index_layout.hpp, zeros, and in the last 8 bytes the checksum
//              of all before
//   checksums  u64 for each block of 65,536 bytes of the data, the last one may be shorter
//   data       scale (f32 a row, of whole tiles), slack (f32, likewise), norms (f64 a row), codes
//              (tiles as in cosine/tiles.hpp), rows (as given; float64 as float32)
// The checksum is XXH64 with seed 0. Opening checks the header, the checksums' own checksum and
// that every size is the one that rows, columns and element type make, and the file's; a block of
// data is checked before it is first used. The same documents give the same bytes on every machine.
#pragma once

#include <stdexcept>

namespace gnomon {

// The file is cut short, damaged, of another version or byte order, or no index at all.
class IndexFileError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace gnomon
