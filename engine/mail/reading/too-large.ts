const BEGINS = 'larger than ';
const ENDS = ' bytes';

/** Why an attachment was not read, as it is kept with it and told to the model. */
export const largerThan = (limit: number): string => `${BEGINS}${limit}${ENDS}`;

/** The limit that an attachment was larger than; null where it was read, or not read for another reason. */
export function limitIn(unreadable: string | null): number | null {
  const limit = Number(unreadable?.slice(BEGINS.length, -ENDS.length) || Number.NaN);
  return Number.isSafeInteger(limit) && unreadable === largerThan(limit) ? limit : null;
}
