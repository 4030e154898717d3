import { sha256 } from '../../lib/ids.ts';
import type { PayloadOf } from '../../record/events.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { Store } from '../../storage/ports/store.ts';

/** What stands beside the mail in one run alone. */
export interface OnceText {
  readonly resolver: string;
  /** Of another thread than the run's. */
  readonly threadId?: string;
  /** It tells of the run's own thread, and is forgotten with it. */
  readonly isOfThread?: true;
  readonly text: string;
  /** Somebody else's words: from here on, what the run does may be their doing. */
  readonly foreign: boolean;
}

/** As it is on record of the run: the texts themselves are kept apart, since they can be forgotten. */
export const onceOnRecord = (texts: readonly OnceText[]): NonNullable<PayloadOf<'context_built'>['once']> =>
  texts.map(({ resolver, threadId, text, foreign }) => ({
    resolver,
    sha256: sha256(text),
    foreign,
    ...(threadId === undefined ? {} : { thread_id: threadId }),
  }));

export const onceToKeep = (threadId: string, texts: readonly OnceText[]) =>
  texts.map(({ text, threadId: of, isOfThread }) => ({
    threadId: of ?? (isOfThread ? threadId : ''),
    sha256: sha256(text),
    text,
  }));

/** The same again from the record; of what was forgotten meanwhile no word is left, and that the run was shown it. */
export async function onceAsBuilt(
  store: Pick<Store, 'shownTexts'>,
  { thread }: Pick<LoadedRun, 'thread'>,
  built: PayloadOf<'context_built'> | undefined,
): Promise<readonly OnceText[]> {
  const recorded = built?.once ?? [];
  const texts = await store.shownTexts(
    [thread.id, ...recorded.flatMap(({ thread_id: of }) => (of === undefined ? [] : [of]))],
    recorded.map(({ sha256: hash }) => hash),
  );
  return recorded.map(({ resolver, sha256: hash, foreign, thread_id: threadId }) => ({
    resolver,
    text: texts.get(hash) ?? '',
    foreign,
    ...(threadId === undefined ? {} : { threadId }),
  }));
}
