import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../../../engine/storage/ports/store.ts';
import { openStore } from '../../../../engine/storage/sqlite/persona/store.ts';
import { createMail } from '../../../../engine/tools/capabilities/mail.ts';
import { computedMs } from '../../../computed.ts';
import {
  MEMBERS,
  OWNER,
  questionsAbout,
  type Task,
  type WrittenMail,
  writeMailbox,
} from '../../../corpus/searched-mail.ts';
import { SIZE } from '../../../size.ts';
import { arrive } from '../../../storage/world.ts';

const SEED = 20261123;
const [MAILS, TASKS] = SIZE < 20 ? [400, 24] : [Number(process.env.EPISTLE_SEARCH_MAILS ?? 5000), 104];

const made: { store?: Store; mails?: readonly WrittenMail[] } = {};
beforeAll(async () => {
  made.store = openStore(':memory:');
  made.mails = writeMailbox(SEED, MAILS);
  const begun = new Set<string>();
  for (const mail of made.mails) {
    await keep(made.store, mail, !begun.has(mail.threadId));
    begun.add(mail.threadId);
  }
  while ((await made.store.indexMail(1000)) > 0);
  await indexFiles(made.store, made.mails);
});
afterAll(() => made.store?.close());

async function indexFiles(store: Store, mails: readonly WrittenMail[]): Promise<void> {
  const texts = new Map(mails.flatMap(({ number, files }) => files.map(({ text }, n) => [`m${number}-${n}`, text])));
  for (;;) {
    const waiting = await store.filesToIndex(500);
    if (waiting.length === 0) return;
    for (const { seq, files } of waiting) {
      await store.indexFiles(
        seq,
        files.map(({ sha256: id }) => texts.get(id ?? '') ?? ''),
      );
    }
  }
}

async function keep(store: Store, mail: WrittenMail, isFirst: boolean): Promise<void> {
  const id = `m${mail.number}`;
  await arrive(
    store,
    {
      duplicateKey: id,
      messageId: mail.id,
      sender: null,
      proven: true,
      references: [],
      limits: [],
      signatures: [],
      forgottenBefore: 0,
      now: mail.at,
    },
    {
      ...(isFirst ? { newThread: { id: mail.threadId, kind: 'thread', subject: mail.subject } } : {}),
      message: {
        id,
        thread_id: mail.threadId,
        direction: mail.direction,
        message_id: mail.id,
        duplicate_key: id,
        from_address: mail.from,
        from_name: mail.fromName,
        to: mail.to,
        cc: [],
        to_names: mail.toNames,
        subject: mail.subject,
        references: [],
        date: mail.at,
        received_at: mail.at + 60_000,
        tier: 'member',
        text: mail.text,
        new_text: mail.text,
      },
      attachments: mail.files.map(({ name }, position) => ({
        id: `${id}-${position}`,
        message: id,
        position,
        name,
        type: 'application/pdf',
        bytes: 1,
        sha256: `${id}-${position}`,
      })),
      viewers: [...mail.had],
    },
  );
}

const mailFor = (address: string | null) => {
  if (!made.store) throw new Error('not made yet');
  return createMail({
    store: made.store,
    library: {
      open: async () => ({ ok: false as const, refusal: { code: 'broken' as const, message: 'it is broken' } }),
    },
    viewer: address === null ? null : { address, threadId: null },
    asker: 'nobody',
    mayOpen: false,
    current: null,
    timezone: 'Europe/Berlin',
  });
};

const maySee = (address: string | null, id: string): boolean =>
  address === null || made.mails?.find((mail) => mail.id === id)?.had.has(address) === true;

describe(`${TASKS} questions over ${MAILS} mails in three languages`, () => {
  const figures: number[] = [];
  const failed: { kind: string; wanted: Task['wanted']; found: readonly string[] }[] = [];
  const tasks = () => questionsAbout(made.mails ?? [], SEED, TASKS);

  it('find the mail among the first five, and it can be opened', async () => {
    const all = tasks();
    expect(all.length).toBe(TASKS);
    for (const { kind, viewer, wanted, target } of all) {
      const mail = mailFor(viewer);
      const started = computedMs();
      const { messages } = await mail.find({ ...wanted, limit: 5 });
      figures.push(computedMs() - started);
      const ids = messages.map(({ message_id }) => message_id);
      expect(ids.filter((id) => !maySee(viewer, id))).toEqual([]);
      if (!ids.includes(target.id)) {
        failed.push({ kind, wanted, found: messages.map(({ from, snippet }) => `${from} ${snippet}`) });
        continue;
      }
      const opened = await mail.read({ message_id: target.id });
      expect(opened).toMatchObject({ text: target.text, subject: target.subject });
      expect(opened.attachments).toHaveLength(target.files.length);
    }
    figures.sort((a, b) => a - b);
    const share = 1 - failed.length / TASKS;
    const [median, p95] = [0.5, 0.95].map((part) => figures[Math.floor(figures.length * part)]?.toFixed(1));
    process.stdout.write(
      `${JSON.stringify({ mails: MAILS, tasks: TASKS, found: share, median_ms: median, p95_ms: p95 })}\n`,
    );
    if (MAILS <= 5000 && share < 0.9) expect(failed).toEqual([]);
  });

  it('give whoever asks nothing that they neither sent nor were sent', async () => {
    for (const { wanted, target } of tasks()) {
      for (const address of [...MEMBERS, OWNER, target.about.who.address, 'sam@street.example', '']) {
        const mail = mailFor(address);
        const { messages, total } = await mail.find({ ...wanted, limit: 20 });
        expect(messages.filter(({ message_id: id }) => !maySee(address, id))).toEqual([]);
        // What is counted is no more than what there is for them.
        expect(total).toBeLessThanOrEqual(made.mails?.filter(({ had }) => had.has(address)).length ?? 0);
        const opened = mail.read({ message_id: target.id }).then(
          () => true,
          () => false,
        );
        expect(await opened).toBe(target.had.has(address));
      }
    }
  });
});
