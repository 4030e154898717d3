import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { contentWords } from '../../../engine/memory/recall/content-words.ts';
import { recall } from '../../../engine/memory/recall/recall.ts';
import { openStore } from '../../../engine/storage/sqlite/persona/store.ts';
import { makeDialogues, type Question } from '../../lib/dialogues/dialogues.ts';
import { keepDialogues } from '../../lib/dialogues/keep-dialogues.ts';
import { addressOf, makeBenchWorkspace, personaId } from '../bench-workspace.ts';
import { type Correspondent, correspond, type Letter, sinkMailbox } from '../correspondent.ts';
import { median, rounded } from '../figures.ts';
import { launch } from '../gateway.ts';

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
 * What a mail costs that is answered with what is recalled of so many earlier mails, from the SMTP dialogue in which it
 * comes to the one in which its answer leaves: questions about those mails by those who wrote them, to two personas with
 * the same mailbox, in turns. Only the gateway's CPU time is counted.
 */
export async function measureRecall(
  correspondent: Correspondent,
  modelUrl: string,
  size: { messages: number; warmUp: number; rounds: number; mails: number },
): Promise<RecallFigure> {
  const mailboxes = [sinkMailbox(correspondent.hello.sinkPort)];
  const workspace = makeBenchWorkspace({ personas: 2, modelUrl, mailboxes });
  for (const persona of [WITH, WITHOUT]) {
    const settings = {
      name: 'Ada',
      address: addressOf(persona),
      access: { allow: ['*@people.example'] },
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
  const gateway = await launch(workspace.root);
  try {
    const asked = { count: 0 };
    const nextQuestions = (mails: number): readonly Question[] => {
      asked.count += mails;
      return Array.from({ length: mails }, (_, n) => questions[(asked.count + n) % questions.length] ?? []).flat();
    };
    const costOf = async (persona: number, chosen: readonly Question[]) => {
      const before = gateway.cpuMs();
      await correspond(correspondent, gateway.listener, chosen.map(letterTo(addressOf(persona))));
      return ((gateway.cpuMs() - before) * 1000) / chosen.length;
    };
    for (const persona of [WITH, WITHOUT]) await costOf(persona, nextQuestions(size.warmUp));
    const costs: { readonly with: number; readonly without: number }[] = [];
    for (let round = 0; round < size.rounds; round += 1) {
      const chosen = nextQuestions(size.mails);
      // Whoever comes first finds the processor as the other has left it.
      const first = round % 2 === 0 ? WITH : WITHOUT;
      const one = await costOf(first, chosen);
      const other = await costOf(first === WITH ? WITHOUT : WITH, chosen);
      costs.push(first === WITH ? { with: one, without: other } : { with: other, without: one });
    }
    return {
      messages: letters.length,
      // Of what ran side by side: a busy neighbour makes both cost more.
      cost_ratio: rounded(median(costs.map((cost) => cost.with / cost.without)), 3),
      cpu_us: rounded(median(costs.map((cost) => cost.with)), 0),
      without_cpu_us: rounded(median(costs.map((cost) => cost.without)), 0),
      look_ms: rounded(median(looks)),
      look_p95_ms: rounded(looks.toSorted((a, b) => a - b)[Math.floor(looks.length * 0.95)] ?? Number.NaN),
    };
  } finally {
    await gateway.stop();
    workspace.remove();
  }
}

const letterTo =
  (to: string) =>
  ({ person, text }: Question): Letter => ({
    from: person.address,
    to,
    text: ['Hello Ada,', '', text, '', 'Thank you and best wishes', person.name].join('\r\n'),
  });

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
      store,
      viewer: { address, threadId: null },
      asker: { address, tier: 'member' },
      timezone: 'UTC',
      mail: { threadId: 'new', text, at: Number.MAX_SAFE_INTEGER },
      words: contentWords({ subject: 'A question', text }),
    });
    looks.push(performance.now() - began);
  }
  await store.close();
  return looks.slice(50);
}
