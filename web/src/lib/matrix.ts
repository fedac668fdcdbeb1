// A table of numbers as the core gives and takes it, and the rearrangements the figures need.
// Nothing here computes: numbers are moved, never made.

export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly data: Float32Array;
}

export interface Cell {
  readonly row: number;
  readonly column: number;
}

export function matrix(rows: number, columns: number, data: ArrayLike<number>): Matrix {
  return { rows, columns, data: data instanceof Float32Array ? data : Float32Array.from(data) };
}

export function fromRows(rows: readonly (readonly number[])[]): Matrix {
  return matrix(rows.length, rows[0]?.length ?? 0, rows.flat());
}

export function filled(rows: number, columns: number, value: number): Matrix {
  return matrix(rows, columns, new Float32Array(rows * columns).fill(value));
}

export function identity(size: number): Matrix {
  const result = filled(size, size, 0);
  for (let i = 0; i < size; i += 1) result.data[i * size + i] = 1;
  return result;
}

export function at(m: Matrix, row: number, column: number): number {
  return m.data[row * m.columns + column] ?? Number.NaN;
}

export function rowOf(m: Matrix, row: number): Float32Array {
  return m.data.subarray(row * m.columns, (row + 1) * m.columns);
}

export function columnOf(m: Matrix, column: number): Float32Array {
  return Float32Array.from({ length: m.rows }, (_, row) => at(m, row, column));
}

export function transposed(m: Matrix): Matrix {
  const result = filled(m.columns, m.rows, 0);
  for (let row = 0; row < m.rows; row += 1) {
    for (let column = 0; column < m.columns; column += 1) {
      result.data[column * m.rows + row] = at(m, row, column);
    }
  }
  return result;
}

/** Some columns of a matrix, in the given order. */
export function selectColumns(m: Matrix, columns: readonly number[]): Matrix {
  const result = filled(m.rows, columns.length, 0);
  for (let row = 0; row < m.rows; row += 1) {
    columns.forEach((column, k) => (result.data[row * columns.length + k] = at(m, row, column)));
  }
  return result;
}

export function selectRows(m: Matrix, rows: readonly number[]): Matrix {
  const result = filled(rows.length, m.columns, 0);
  rows.forEach((row, k) => result.data.set(rowOf(m, row), k * m.columns));
  return result;
}

/** The columns of `b` after those of `a`. */
export function beside(a: Matrix, b: Matrix): Matrix {
  const columns = a.columns + b.columns;
  const result = filled(a.rows, columns, 0);
  for (let row = 0; row < a.rows; row += 1) {
    result.data.set(rowOf(a, row), row * columns);
    result.data.set(rowOf(b, row), row * columns + a.columns);
  }
  return result;
}

/** The rows of `b` below those of `a`. */
export function stacked(a: Matrix, b: Matrix): Matrix {
  const result = filled(a.rows + b.rows, a.columns, 0);
  result.data.set(a.data);
  result.data.set(b.data, a.data.length);
  return result;
}

/** The columns from `first` on, `count` of them. */
export function slice(m: Matrix, first: number, count: number): Matrix {
  return selectColumns(
    m,
    Array.from({ length: count }, (_, i) => first + i),
  );
}

/** The numbers of `m` where `where` is above 0, and zeros elsewhere. */
export function keptWhere(m: Matrix, where: Matrix): Matrix {
  return { ...m, data: m.data.map((value, i) => (where.data[i]! > 0 ? value : 0)) };
}

export function withCell(m: Matrix, { row, column }: Cell, value: number): Matrix {
  const data = m.data.slice();
  data[row * m.columns + column] = value;
  return { ...m, data };
}

export function sameNumbers(a: Matrix, b: Matrix): boolean {
  return (
    a.rows === b.rows && a.columns === b.columns && a.data.every((value, i) => value === b.data[i])
  );
}

/** The largest magnitude: where a colour scale ends. */
export function largest(m: Matrix): number {
  return m.data.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}
