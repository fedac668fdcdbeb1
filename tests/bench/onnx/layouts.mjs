// Moves the axes of [batch, heads, length, width] into the order that an operation wants, and back.

// `tokens` is a part [from, to) of the length.
export function toLayout(data, shape, layout, tokens) {
  const [batch, heads, length, width] = [1, 1, ...shape].slice(-4);
  const [from, to] = tokens ?? [0, length];
  const count = to - from;
  if (layout === "BHLD" && count === length) return { data, shape: [batch, heads, length, width] };
  const result = new Float32Array(batch * heads * count * width);
  const place = placing(layout, heads, count, width);
  for (let b = 0, row = 0; b < batch; ++b) {
    for (let h = 0; h < heads; ++h, row += length) {
      for (let t = 0; t < count; ++t) {
        const source = (row + from + t) * width;
        for (let d = 0; d < width; ++d) result[place(b, h, t, d)] = data[source + d];
      }
    }
  }
  return { data: result, shape: SHAPES[layout](batch, heads, count, width) };
}

export function fromLayout(data, shape, layout) {
  if (layout !== "BLHD") return data;
  const [batch, heads, length, width] = [1, 1, ...shape].slice(-4);
  const result = new Float32Array(data.length);
  const place = placing(layout, heads, length, width);
  for (let at = 0, b = 0; b < batch; ++b) {
    for (let h = 0; h < heads; ++h) {
      for (let t = 0; t < length; ++t) {
        for (let d = 0; d < width; ++d) result[at++] = data[place(b, h, t, d)];
      }
    }
  }
  return result;
}

const SHAPES = {
  BHLD: (b, h, l, d) => [b, h, l, d],
  BHDL: (b, h, l, d) => [b, h, d, l],
  BLHD: (b, h, l, d) => [b, l, h * d],
};

function placing(layout, heads, length, width) {
  switch (layout) {
    case "BHLD":
      return (b, h, t, d) => ((b * heads + h) * length + t) * width + d;
    case "BHDL":
      return (b, h, t, d) => ((b * heads + h) * width + d) * length + t;
    default:
      return (b, h, t, d) => ((b * length + t) * heads + h) * width + d;
  }
}
