/** The polynomial of CRC-32; the highest bit is the coefficient of x^0. */
const polynomial = 0xedb88320;
const one = 0x8000_0000;
/** x^8: the effect of one more byte on the checksum of a text. */
const byte = 0x0080_0000;

/** The CRC-32 of two texts joined, by their checksums and the length of the second. */
export function joinCrc(first: number, second: number, secondBytes: number): number {
  let shift = one;
  let power = byte;
  for (let rest = secondBytes; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) shift = multiply(shift, power);
    power = multiply(power, power);
  }
  return (multiply(shift, first) ^ second) >>> 0;
}

/** Product of two polynomials, modulo that of CRC-32. */
function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  for (let bit = one; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= shifted;
    shifted = (shifted & 1) === 0 ? shifted >>> 1 : (shifted >>> 1) ^ polynomial;
  }
  return product >>> 0;
}
