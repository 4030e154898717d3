import { type RawBuilder, sql } from 'kysely';
import { asText, eachText } from '../../dialect.ts';
import type { Viewer } from '../../types/mail.ts';

/** ASCII alone: what is another letter to a mail server must not become the same one here (the Kelvin sign is no k). */
export const viewerKey = (address: string): string => address.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Addresses as a JSON list. */
type SeenBy = string | RawBuilder<string> | RawBuilder<string | undefined>;

/** The same as a query is built with that is run for many. */
export interface ViewerArguments {
  readonly address: RawBuilder<string>;
  readonly threadId: RawBuilder<string | null>;
}

/** As they are given to such a query. */
export interface ViewerGiven {
  readonly viewer?: Pick<NonNullable<Viewer>, 'address' | 'threadId'>;
  readonly others?: string;
}

/** Whether others see it with the viewer. */
export const isShared = (viewer: Viewer): boolean => (viewer?.also?.length ?? 0) > 0;

/** Those who see it with the viewer. */
const othersOf = (viewer: Viewer): string | undefined =>
  isShared(viewer) ? JSON.stringify(viewer?.also?.map(viewerKey)) : undefined;

export function asArguments(viewer: Viewer): ViewerGiven {
  if (viewer === null) return {};
  const [others, { address, threadId }] = [othersOf(viewer), viewer];
  return { viewer: { address, threadId }, ...(others === undefined ? {} : { others }) };
}

/** The condition in a query over `messages m` that the viewer, and each of the others, may see the message. */
export function isSeenBy(viewer: Viewer | ViewerArguments, given?: SeenBy) {
  const others = given ?? (viewer !== null && 'also' in viewer ? othersOf(viewer) : undefined);
  return others === undefined ? isSeenByOne(viewer) : sql<boolean>`${isSeenByOne(viewer)} and ${isSeenByAll(others)}`;
}

const isSeenByOne = (viewer: Viewer | ViewerArguments) =>
  viewer === null
    ? sql<boolean>`true`
    : sql<boolean>`(${asText(viewer.threadId)} is null or m.thread_id = ${viewer.threadId}) and exists (
        select 1 from message_viewers v
        where v.thread_id = m.thread_id and v.address = ${viewer.address} and v.seq = m.seq)`;

const isSeenByAll = (others: SeenBy) => sql<boolean>`not exists (
  select 1 from ${eachText(others, 'reader')} where not exists (
    select 1 from message_viewers v
    where v.thread_id = m.thread_id and v.address = reader.value and v.seq = m.seq))`;
