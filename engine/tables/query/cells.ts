const MAX_RANGES = 12;

/** `2-14,17`: rows in their order as ranges; `prefix` is the letter of a column (`D2:D14,D17`). Long lists end in `…`. */
export function rangesOf(numbers: readonly number[], letter = ''): string {
  const ranges: string[] = [];
  let from = 0;
  while (from < numbers.length) {
    let to = from;
    while (numbers[to + 1] === (numbers[to] ?? 0) + 1) to += 1;
    if (ranges.length === MAX_RANGES) {
      const left = numbers.length - from;
      return `${ranges.join(',')} and ${left} more to ${letter}${numbers.at(-1)}`;
    }
    ranges.push(
      from === to
        ? `${letter}${numbers[from]}`
        : `${letter}${numbers[from]}${letter ? ':' : '-'}${letter}${numbers[to]}`,
    );
    from = to + 1;
  }
  return ranges.join(',');
}
