import { nearestOf } from '../../lib/text/nearest.ts';
import { didYouMean } from '../problems/problem.ts';

/** What somebody hears who names a mailbox that there is not. */
export const noMailbox = (id: string, ids: readonly string[]): string =>
  `no mailbox has the id ${id}${didYouMean(nearestOf(id, ids)) || '; see `epistle mailbox list`'}`;
