// Methods that the baseline of browsers has and the library of TypeScript 4.8 lacks.
interface Array<T> {
  findLastIndex(predicate: (value: T, index: number, array: T[]) => unknown): number;
}
