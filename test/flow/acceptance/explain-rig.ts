import type { Turn } from '../../fakes/model-script.ts';
import { type FakeModel, startFakeModel } from '../../fakes/model-server.ts';
import { submit } from '../gateway.ts';
import { MEMBER, openOffice } from '../governance-rig.ts';
import { openPersonaDb, type RunView, runsEnded } from '../persona-db.ts';
import { STEADY } from '../workspace.ts';

/** A tool of the workspace that returns what `body`, the inside of a function of (args, context), returns. */
export const toolFiles = (
  name: string,
  options: { risk: string; scope: string; body: string; capabilities?: readonly string[] },
): Readonly<Record<string, string | object>> => ({
  [`extensions/tools/${name}/manifest.json`]: {
    name,
    kind: 'tool',
    api: 1,
    summary: name,
    entry: 'index.js',
    capabilities: options.capabilities ?? [],
  },
  [`extensions/tools/${name}/index.js`]: `export default { description: 'Does ${name}', risk: '${options.risk}', scope: '${options.scope}',
  input: { type: 'object' }, run: async (args, context) => { ${options.body} } };
`,
});

/** What the model does: its turns after the mail, by what stands in the mail. */
export type Plan = (mail: string, results: readonly string[], step: number) => Turn;

export async function openScripted(
  plan: Plan,
  options: { files?: Readonly<Record<string, string | object>>; tools?: readonly unknown[]; inference?: object } = {},
) {
  const model = await startFakeModel('openai', ({ view, body }) =>
    plan(
      view.lastUser,
      view.results.map(({ content }) => content),
      stepOf(body),
    ),
  );
  const office = await openOffice({
    'configs/inference.json': { provider: 'steady', model: 'm', ...options.inference },
    'extensions/extensions.json': {
      providers: [{ name: 'steady', config: { base_url: model.baseUrl } }],
      tools: options.tools ?? [],
    },
    ...STEADY,
    ...options.files,
  });
  return { office, model };
}

/** How many answers of the model follow the last mail. */
function stepOf(body: unknown): number {
  const messages = (body as { readonly messages: readonly { readonly role: string }[] }).messages;
  const mail = messages.findLastIndex(({ role }) => role === 'user');
  return messages.slice(mail).filter(({ role }) => role === 'assistant').length;
}

export type Scripted = { readonly office: Awaited<ReturnType<typeof openOffice>>; readonly model: FakeModel };

/** Makes the function that sends one mail by SMTP and resolves with what its run left behind. */
export function mailer({ office }: Scripted, persona = 'ada') {
  const sent = { count: 0 };
  return async function mail(
    text: string,
    more: { from?: string; inReplyTo?: string; subject?: string } = {},
  ): Promise<{ run: RunView; messageId: string }> {
    sent.count += 1;
    const messageId = `<${persona}-${sent.count}@member.example>`;
    const { inReplyTo, from = MEMBER, subject = 'A request' } = more;
    await submit(office.root, office.ready(), {
      from,
      to: `${persona}@agents.localhost`,
      subject,
      text,
      messageId,
      ...(inReplyTo === undefined ? {} : { inReplyTo, references: [inReplyTo] }),
    });
    await runsEnded(office.root, persona, sent.count);
    const db = openPersonaDb(office.root, persona);
    try {
      const run = db.runOf(messageId);
      if (!run) throw new Error(`no run for ${messageId}`);
      return { run, messageId };
    } finally {
      db.close();
    }
  };
}

/** What is on record of a run, read from the file as another program would. */
export function recordOf({ office }: Pick<Scripted, 'office'>, run: Pick<RunView, 'id'>, persona = 'ada') {
  const db = openPersonaDb(office.root, persona);
  try {
    return { events: db.events(run.id), rows: db.toolEvents(run.id) };
  } finally {
    db.close();
  }
}
