import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import type { Worker } from '../../../engine/app/worker.ts';
import { contentWords } from '../../../engine/memory/recall/content-words.ts';
import { recall } from '../../../engine/memory/recall/recall.ts';
import { openStore } from '../../../engine/storage/sqlite/persona/store.ts';
import { makeDialogues, type Question } from '../../lib/dialogues/dialogues.ts';
import { keepDialogues } from '../../lib/dialogues/keep-dialogues.ts';
import { addressOf, makeBenchWorkspace, personaId } from '../bench-workspace.ts';
import { cpuMicroseconds, median, rounded } from '../figures.ts';
import { openWorker } from '../open-worker.ts';
import type { ModelServer } from './step.ts';

export interface RecallFigure {
  readonly messages: number;
  /** Of a mail for which earlier mail is recalled, as a multiple of the same mail without. */
  readonly cost_ratio: number;
  readonly cpu_us: number;
  readonly without_cpu_us: number;
  /** Of one look through the earlier mails, by the clock; nineteen of twenty are quicker than the second. */
  readonly look_ms: number;
  readonly look_p95_ms: number;
}

/** Recalls, and does not. */
const [WITH, WITHOUT] = [0, 1];

/**
 * What a mail costs that is answered with what is recalled of so many earlier mails: questions about them by those who wrote
 * them, to two personas with the same mailbox, in turns.
 */
export async function measureRecall(
  model: ModelServer,
  size: { messages: number; rounds: number; mails: number },
): Promise<RecallFigure> {
  const workspace = makeBenchWorkspace({ personas: 2, modelUrl: model.hello.url });
  for (const persona of [WITH, WITHOUT]) {
    const settings = {
      ...{ name: 'Ada', address: addressOf(persona), access: { allow: ['*@people.example'] } },
      memory: { recall: persona === WITH },
    };
    writeFileSync(join(workspace.root, 'personas', personaId(persona), 'persona.json'), JSON.stringify(settings));
  }
  const fileOf = (persona: number) => join(workspace.root, 'data', 'personas', personaId(persona), 'persona.db');
  const { letters, questions } = makeDialogues({ seed: 1, letters: size.messages, questions: 1000 });
  await keepAll(fileOf(WITH), letters);
  const looks = await looksAt(fileOf(WITH), questions);
  await openStore(fileOf(WITHOUT)).close();
  copyFileSync(fileOf(WITH), fileOf(WITHOUT));
  const { workspace: opened, worker } = await openWorker(workspace.root, true);
  try {
    const costs = { [WITH]: [] as number[], [WITHOUT]: [] as number[] };
    const asked = { count: 0 };
    for (let round = 0; round <= size.rounds; round += 1) {
      const mails = round === 0 ? size.mails * 3 : size.mails;
      const first = asked.count;
      asked.count += mails;
      const chosen = Array.from({ length: mails }, (_, n) => questions[(first + n) % questions.length]);
      // Whoever comes first finds the processor as the other has left it.
      for (const persona of round % 2 === 0 ? [WITH, WITHOUT] : [WITHOUT, WITH]) {
        const cost = await cpuMicroseconds(async () => {
          for (const [n, question] of chosen.entries())
            if (question) await deliver(worker, persona, { question, serial: first + n });
        });
        // The first round compiles.
        if (round > 0) costs[persona]?.push(cost / mails);
      }
    }
    const [cpu, without] = [costs[WITH] ?? [], costs[WITHOUT] ?? []];
    return {
      messages: letters.length,
      // Of what ran side by side: a busy neighbour makes both cost more.
      cost_ratio: rounded(median(cpu.map((one, round) => one / (without[round] ?? Number.NaN))), 3),
      cpu_us: rounded(median(cpu), 0),
      without_cpu_us: rounded(median(without), 0),
      look_ms: rounded(median(looks)),
      look_p95_ms: rounded(looks.toSorted((a, b) => a - b)[Math.floor(looks.length * 0.95)] ?? Number.NaN),
    };
  } finally {
    await worker.stop(2000);
    await opened.close();
    workspace.remove();
  }
}

async function keepAll(file: string, letters: Parameters<typeof keepDialogues>[1]): Promise<void> {
  await openStore(file).close();
  const database = new SQLite(file);
  database.pragma('synchronous = OFF');
  keepDialogues(database, letters);
  database.close();
  const store = openStore(file);
  while ((await store.indexMail(500)) > 0);
  // As the job does that follows from so many.
  for (let isFirst = true; await store.mergeIndex(isFirst); isFirst = false);
  await store.close();
}

/** Ms that each question takes by itself, asked by who wrote the mails it is about. */
async function looksAt(file: string, questions: readonly Question[]): Promise<readonly number[]> {
  const store = openStore(file);
  const looks: number[] = [];
  // The first fifty compile.
  for (const { person, text } of [...questions.slice(0, 50), ...questions]) {
    const { address } = person;
    const began = performance.now();
    await recall({
      ...{ store, viewer: { address, threadId: null }, asker: { address, tier: 'member' }, timezone: 'UTC' },
      ...{ mail: { threadId: 'new', text }, words: contentWords({ subject: 'A question', text }) },
    });
    looks.push(performance.now() - began);
  }
  await store.close();
  return looks.slice(50);
}

async function deliver(
  worker: Worker,
  persona: number,
  { question, serial }: { readonly question: Question; readonly serial: number },
): Promise<void> {
  const { person, text } = question;
  const to = addressOf(persona);
  const raw = [
    ...[`From: ${person.address}`, `To: ${to}`, `Message-ID: <q.${persona}.${serial}@people.example>`],
    ...['Subject: A question', `Date: ${new Date().toUTCString()}`, 'MIME-Version: 1.0'],
    ...['Content-Type: text/plain; charset=utf-8', '', 'Hello Ada,', '', text, '', 'Thank you and best wishes'],
    ...[person.name, ''],
  ].join('\r\n');
  const { results } = await worker.receive({
    raw: Buffer.from(raw),
    arrival: { door: 'submission' },
    envelope: { returnPath: person.address, recipients: [to] },
    place: null,
  });
  if (results[0]?.decision !== 'accepted') throw new Error(`the mail was ${results[0]?.decision}`);
  await worker.dispatcher.idle();
}
