import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { openGatewayStore } from '../../engine/storage/sqlite/gateway/store.ts';
import { openStore } from '../../engine/storage/sqlite/persona/store.ts';
import { personaId, SENDER } from './bench-workspace.ts';

/**
 * Gives personas of a workspace a past, straight into their databases: each has had one mail, and one in `every` has, in
 * turn, a question to its owners, mail that waits, mail that could not be sent, a part that waits, and a job of nobody's.
 */
export async function seedPersonas(options: {
  readonly dataDir: string;
  readonly personas: number;
  readonly every: number;
  readonly now: number;
}): Promise<void> {
  const { dataDir, personas, every, now } = options;
  const fileOf = (persona: number) => join(dataDir, 'personas', personaId(persona), 'persona.db');
  mkdirSync(join(dataDir, 'personas', personaId(0)), { recursive: true, mode: 0o700 });
  await openStore(fileOf(0)).close();
  for (let persona = 1; persona < personas; persona += 1) {
    mkdirSync(join(dataDir, 'personas', personaId(persona)), { recursive: true, mode: 0o700 });
    copyFileSync(fileOf(0), fileOf(persona));
  }
  const gateway = openGatewayStore(join(dataDir, 'gateway.db'));
  for (let persona = 0; persona < personas; persona += 1) {
    seedOne(
      fileOf(persona),
      persona,
      now - (personas - persona) * 1000,
      persona % every === 0 ? persona / every : null,
    );
    await gateway.recordSeen([
      {
        message_id: `<seed.${persona}@member.example>`,
        direction: 'in',
        decision: 'accepted',
        subject: `Figures ${persona}`,
        received_at: now - (personas - persona) * 1000,
        persona_id: personaId(persona),
        run_id: idOf('run', persona),
        from_address: SENDER,
      },
    ]);
  }
  await gateway.close();
}

type Row = Readonly<Record<string, string | number | Uint8Array | null>>;

/** Ids sort by time, as those of the gateway do. */
const idOf = (what: 'run' | 'approval' | 'outbox', persona: number, nth = 0): string => {
  const kind = { run: '1', approval: '2', outbox: '3' }[what];
  return `01970000-0000-7000-8000-${persona.toString(16).padStart(6, '0')}${nth.toString(16).padStart(5, '0')}${kind}`;
};

function seedOne(file: string, persona: number, at: number, special: number | null): void {
  const database = new SQLite(file);
  database.pragma('synchronous = OFF');
  const put = (table: string, row: Row) => {
    const names = Object.keys(row);
    const places = names.map(() => '?').join(', ');
    database.prepare(`insert into ${table} (${names.join(', ')}) values (${places})`).run(...Object.values(row));
  };
  const run = (nth: number, status: string, more: Row = {}) =>
    put('runs', {
      id: idOf('run', persona, nth),
      thread_id: 't',
      message: 'm',
      message_id: `<seed.${persona}@member.example>`,
      kind: 'message',
      status,
      sender: SENDER,
      tier: 'member',
      recursion: 0,
      due_at: at,
      created_at: at,
      ...more,
    });
  database.transaction(() => {
    put('threads', { id: 't', kind: 'thread', subject: 'Figures', message_count: 1, created_at: at, updated_at: at });
    put('messages', {
      id: 'm',
      thread_id: 't',
      direction: 'in',
      message_id: `<seed.${persona}@member.example>`,
      duplicate_key: 'm',
      from_address: SENDER,
      to_json: '[]',
      cc_json: '[]',
      subject: `Figures ${persona}`,
      references_json: '[]',
      received_at: at,
      text: 'The figures.',
      new_text: 'The figures.',
    });
    run(0, 'done', { outcome: 'answered', cost_usd: 0.001 * (persona % 7), model_calls: 1, ended_at: at });
    if (special !== null) seedOpen({ put, run, persona, at }, special);
  })();
  database.close();
}

interface Seeding {
  put(table: string, row: Row): void;
  run(nth: number, status: string, more?: Row): void;
  readonly persona: number;
  readonly at: number;
}

/** What is not over, of one kind in turn. */
function seedOpen({ put, run, persona, at }: Seeding, special: number): void {
  const kind = special % 5;
  if (kind === 0) {
    run(1, 'waiting_approval', { waiting_for: 'approval', tool_calls: 1 });
    put('approvals', {
      id: idOf('approval', persona),
      run_id: idOf('run', persona, 1),
      thread_id: 't',
      call_id: 'c',
      tool: 'send_mail',
      arguments_json: '{"to":"bob@example.com"}',
      arguments_hash: 'h',
      fingerprint: 'f',
      risk: 'mutate',
      state: special % 10 === 0 ? 'pending' : 'rejected',
      number: 1,
      expires_at: at + 86_400_000,
      created_at: at,
      updated_at: at,
    });
  }
  if (kind === 1) {
    run(1, 'queued', { deferred_code: 'budget', deferred_at: at, due_at: at + 864_000_000 });
    run(2, 'failed', { code: 'repeated_crash', ended_at: at });
    put('incidents', { code: 'budget', since: at, cause: 'budget', provider: 'bench', message: 'no money is left' });
  }
  const mail = {
    run_id: '',
    ordinal: 0,
    kind: 'notice',
    envelope_from: '',
    raw: Buffer.from('x'),
    created_at: at,
    updated_at: at,
  };
  const states = ['queued', 'failed', 'unknown', 'draft', 'sent'];
  if (kind === 2)
    for (const [nth, state] of states.entries())
      put('outbox', {
        ...mail,
        id: idOf('outbox', persona, nth),
        purpose: `p${nth}`,
        message_id: `<out.${persona}.${nth}@agents.localhost>`,
        state,
        attempts: nth + 1,
        next_attempt_at: at + 864_000_000,
        last_error: `451 come again, ${persona}`,
      });
  if (kind === 3)
    put('suspensions', {
      id: 's',
      run_id: idOf('run', persona),
      call_id: 'c',
      tool: 'ask',
      kind: special % 10 === 3 ? 'external' : 'delegation',
      state: 'open',
      payload_json: '{}',
      due_at: at + 864_000_000,
      created_at: at,
    });
  if (kind === 4)
    put('jobs', {
      id: 'j',
      kind: 'of_nobody',
      payload_json: '{}',
      due_at: at + 864_000_000,
      parked_code: 'unknown_kind',
    });
}
