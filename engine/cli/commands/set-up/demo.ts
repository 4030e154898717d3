import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGateway } from '../../../app.ts';
import { silentLog } from '../../../lib/log/log.ts';
import { openWorkspace } from '../../../workspace.ts';
import type { CommandContext } from '../../command/context.ts';
import { defineCommand } from '../../command/define.ts';
import { createPaint, type Paint } from '../../text/paint.ts';
import { type DemoStep, demoSteps } from './demo-steps.ts';
import { writeTemplates } from './templates.ts';

export const demo = defineCommand({
  name: 'demo',
  withoutWorkspace: true,
  summary: 'A guided show in a temporary workspace: no account, no key, gone when it is over',
  run: runDemo,
  text({ steps }, { command }) {
    const failed = steps.filter(({ ok }) => !ok);
    return failed.length === 0
      ? `That was it; the temporary workspace is gone.\nWith a mailbox of yours: ${command('setup')}`
      : `Something went otherwise than it should: ${failed.map(({ title }) => title).join('; ')}`;
  },
  exitCode: ({ steps }) => (steps.every(({ ok }) => ok) ? 0 : 5),
});

async function runDemo(context: CommandContext): Promise<{ steps: readonly Shown[] }> {
  const say = context.json ? () => {} : context.print;
  const root = mkdtempSync(join(tmpdir(), 'epistle-demo-'));
  // Ctrl-C in the middle of the show must not leave its workspace behind.
  process.once('SIGINT', () => {
    rmSync(root, { recursive: true, force: true });
    process.exit(130);
  });
  const write = (path: string, value: object) => writeFileSync(join(root, path), JSON.stringify(value));
  try {
    writeTemplates(root);
    write('configs/gateway.json', { smtp_listener: { port: 0 } });
    // Whatever key is in the environment, the show costs nothing and says the same each time.
    write('configs/inference.json', { provider: 'offline' });
    write('configs/system.json', { console: { enabled: false } });
    const workspace = openWorkspace({ root, settings: context.settings, makeLog: () => silentLog });
    try {
      const { unhandledRejections } = context;
      const gateway = createGateway(workspace, { unhandledRejections });
      const { smtp, personas } = await gateway.start();
      say(
        `A gateway runs in ${root}, on ${smtp?.host ?? '?'} port ${smtp?.port ?? '?'}, with ${personas.map(({ address }) => address).join(' and ')}.`,
      );
      say('No model is called: the provider `offline` runs the tool calls that a mail spells out.\n');
      try {
        const paint = createPaint(context.settings.noColor);
        return { steps: await show(demoSteps(workspace, context), say, paint) };
      } finally {
        await gateway.stop();
      }
    } finally {
      await workspace.close();
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

type Shown = { readonly title: string; readonly ok: boolean; readonly text: string };

async function show(steps: readonly DemoStep[], say: (line: string) => void, paint: Paint): Promise<Shown[]> {
  const shown: Shown[] = [];
  for (const [index, { title, command, run }] of steps.entries()) {
    say(paint('bold', `${index + 1}. ${title}`));
    say(paint('dim', `   $ ${command}`));
    const { ok, text } = await run();
    say(`${text.trimEnd().replaceAll(/^/gm, '   ')}\n`);
    shown.push({ title, ok, text });
  }
  return shown;
}
