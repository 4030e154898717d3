import type { Persona } from '../config/types.ts';
import { iso } from '../lib/clock.ts';
import { sha256 } from '../lib/ids.ts';
import type { UndoRow } from '../storage/approval-tables.ts';
import type { Store } from '../storage/store.ts';
import type { JobRow } from '../storage/tables.ts';
import { describeArguments } from './approval-text.ts';
import { noticeOf, type OwnerMailDeps, writeOwnerMail } from './owner-mail.ts';

/** Tells the owners of what was done and can be taken back, under a token by which `undo` finds it. */
export function createUndoNoticeWriter(deps: OwnerMailDeps) {
  return async (persona: Persona, job: JobRow, store: Store): Promise<void> => {
    const items = await store.unnoticedUndo();
    const { system } = deps.configs();
    const hasReaders = persona.owners.length > 0 || system.admin_contact !== null;
    if (items.length === 0 || !hasReaders) return store.endJob(job.id);
    const token = deps.ids.random(16);
    const what = items.length === 1 ? items[0]?.tool : `${items.length} actions`;
    const mail = await writeOwnerMail(deps, persona, {
      kind: 'notice',
      purpose: `undo:${sha256(token).slice(0, 32)}`,
      subject: `Done, and can be undone: ${what} [ok-${token}]`,
      text: textOf(items, persona),
      replyTo: persona.address.replace('@', `+ok-${token}@`),
      headers: {},
    });
    const numbered = items.map(({ id }, index) => ({ id, number: index + 1 }));
    await store.sendUndoNotice(noticeOf(deps, mail, token), numbered, mail, job.id);
  };
}

const textOf = (items: readonly UndoRow[], persona: Persona): string =>
  [
    `${persona.name} has done the following.`,
    '',
    ...items.flatMap((item, index) => [
      `**${index + 1}. ${item.tool}**`,
      '',
      ...describeArguments(item.arguments_json),
      `It can be taken back until ${iso(item.until)}, here or by \`epistle approvals undo ${item.id}\`.`,
      '',
    ]),
    items.length === 1
      ? 'Answer with `undo` to take it back.'
      : 'Answer with `undo all`, or with `undo 2`, to take it back.',
  ].join('\n');
