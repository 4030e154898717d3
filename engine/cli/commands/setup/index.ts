import { homedir } from 'node:os';
import { relative } from 'node:path';
import { log, note, outro } from '@clack/prompts';
import { EngineError } from '#contract';
import { ConfigError, describeProblem } from '../../../config/problems/problem.ts';
import { planChange } from '../../../config/writing/change.ts';
import { calledAs, commandHere } from '../../../lib/as-called.ts';
import { silentLog } from '../../../lib/log/log.ts';
import { trustedServers } from '../../../mail/identity/login-line.ts';
import { offInWords } from '../../../queries/doctor/switched.ts';
import type { ReceivedShape } from '../../../queries/mail/received.ts';
import { crashPointsOf, openWorkspace } from '../../../workspace.ts';
import { addressIn } from '../../command/addresses.ts';
import { beforeUpgrade } from '../../command/before-upgrade.ts';
import type { CommandContext } from '../../command/context.ts';
import { defineCommand } from '../../command/define.ts';
import { lastStarted, lastStartedFile } from '../../command/last-started.ts';
import { millisecondsOf } from '../../command/wait-option.ts';
import { workspaceHere, workspaceToSetUp } from '../../command/which-workspace.ts';
import { changesShown } from '../../text/changes.ts';
import type { NamedBorder } from '../../trial/learn.ts';
import { freeId, MAIN, type SetupAnswers, secretNameOf } from './answers.ts';
import { createPrompts, orBrokenOff, type Prompts } from './ask.ts';
import { checkBorder, exchangesOfMailbox } from './check.ts';
import { CONNECTION_OPTIONS, flagOf } from './connection-options.ts';
import { ENDINGS, mailCode, newestReceived, watchFirstMail } from './first-mail.ts';
import { folderFault, folderIn, forget, save, savedAnswers, wantedOf, writeWorkspace } from './folder.ts';
import { askLogin, type ProvenLogin } from './login.ts';
import { askModel } from './model/ask-model.ts';
import { budgetGiven, modelGiven } from './model/given.ts';
import { tryModel } from './model/service.ts';
import { offerTrust } from './offer-trust.ts';
import { mailboxIn, type Present, presentIn } from './present.ts';
import { addressTrip, roundTrip, type Taught } from './round-trip.ts';
import { startHere } from './start-here.ts';
import { askAddresses, askBudget, askPersona, askServers, goodPersona, type SetupUnderWay } from './steps.ts';

const WAIT_S = 900;
/** Of the box in which it is shown what is written: its border and the space inside. */
const FRAME_COLUMNS = 6;

const OPTIONS = {
  folder: {
    flags: '--folder <dir>',
    about: 'of the workspace (default: the one that EPISTLE_WORKSPACE names, else ~/epistle)',
  },
  owner: { flags: '--owner <address>', about: 'your own mail address' },
  mailbox: { flags: '--mailbox <address>', about: 'of the mailbox that the persona uses' },
  ...CONNECTION_OPTIONS,
  provider: { flags: '--provider <name>', about: 'of models, such as anthropic, ollama or offline' },
  model: { flags: '--model <name>', about: 'of the provider' },
  modelUrl: { flags: '--model-url <url>', about: 'of an OpenAI-compatible service' },
  modelPrice: { flags: '--model-price <in,out>', about: 'USD per million tokens, where nobody has said the price' },
  budget: { flags: '--budget <usd>', about: 'that the persona may spend in a day at most; none: no limit' },
  name: { flags: '--name <name>', about: 'of the persona (default: Ada)' },
  address: { flags: '--address <address>', about: 'of the persona (default: that of the mailbox)' },
  timezone: { flags: '--timezone <zone>', about: 'of the persona (default: that of this machine)' },
  nonInteractive: {
    flags: '--non-interactive',
    about: `ask nothing; the secret comes from ${secretNameOf({ id: MAIN })} or the first line of stdin`,
  },
  wait: { flags: '--wait <seconds>', about: `for your first mail (default: ${WAIT_S}, without prompts 0)` },
} as const;

type Given = { readonly [Name in keyof typeof OPTIONS]: string | boolean | undefined };

export const setup = defineCommand({
  name: 'setup',
  withoutWorkspace: true,
  summary: 'From nothing to a mailbox whose mail is answered: six questions, live checks, and your first mail',
  examples: [
    ['setup', 'asks; after Ctrl-C it goes on where it was'],
    ['setup --non-interactive --owner you@example.com --mailbox agents@example.com', 'asks nothing, for scripts'],
  ],
  options: OPTIONS,
  async run(context, { options }) {
    const isAsking = !context.json && options.nonInteractive !== true && context.stdin.isTTY === true;
    const prompts = isAsking ? createPrompts({ input: context.stdin, output: process.stdout }) : null;
    const done = runSetup(context, options, prompts);
    return prompts ? orBrokenOff(done) : done;
  },
  text: ({ mailbox, persona, answered }) =>
    answered
      ? `${persona.name} has answered your mail.`
      : `Write to ${persona.address}; the gateway of ${mailbox} runs.`,
});

async function runSetup(context: CommandContext, given: Given, prompts: Prompts | null) {
  const flag = flagOf(given);
  const waitMs = millisecondsOf('--wait', flag('wait'), prompts ? WAIT_S : 0);
  const { root, present } = await askFolder(context, prompts, flag('folder'));
  // Wrong on the command line, so nobody is asked anything before.
  modelGiven(root, flag);
  budgetGiven(flag);
  const answered = { saved: savedAnswers(root) };
  const asking: SetupUnderWay = {
    context,
    root,
    present,
    prompts,
    flag,
    saved: () => answered.saved,
    keep(more) {
      answered.saved = { ...answered.saved, ...more };
      save(root, answered.saved);
    },
    say: (line) => (prompts ? log.step(line) : context.note(line)),
  };
  const { owner, mailbox } = await askAddresses(asking);
  const box = mailboxIn(present, mailbox, flag('user'));
  const { mailboxes } = present.configs.gateway;
  const id = box?.id ?? freeId(mailbox, mailboxes);
  if (box === null && mailboxes.length > 0) {
    const beside = mailboxes.map((one) => one.id).join(', ');
    asking.say(
      `${mailbox} is added beside what is there (${beside}); \`epistle mailbox remove\` takes a mailbox away.`,
    );
  }
  const loggedIn = await askLogin(asking, await askServers(asking, { id, mailbox, present: box }));
  const { connection } = loggedIn;
  const { model, secrets: keys, answers: isAsked, price } = await askModel(asking);
  const persona = await askPersona(asking, connection);
  const budget = await askBudget(asking, persona, price);
  const travelled = await untilTravelled(asking, { ...connection, owner, model, persona, budget }, loggedIn);
  const secrets = { ...travelled.loggedIn.secrets, ...keys };
  return carryOut(asking, travelled, { secrets, waitMs, isAsked });
}

interface Ready extends Taught {
  readonly answers: SetupAnswers;
  readonly loggedIn: ProvenLogin;
}

/** The mail to itself. Where it does not come, the address of the mailbox is asked for once more: nobody else may have it. */
async function untilTravelled(asking: SetupUnderWay, answers: SetupAnswers, loggedIn: ProvenLogin): Promise<Ready> {
  const { prompts, flag, present, say, keep } = asking;
  for (;;) {
    try {
      return { answers, loggedIn, ...(await roundTrip(answers, loggedIn.loginOf, present.configs, say)) };
    } catch (error) {
      const isNetwork = error instanceof EngineError && error.code === 'network';
      if (!isNetwork || prompts === null || flag('mailbox') !== undefined) throw error;
      log.warn(`${error.message}.\nGive the address once more; Enter tries the same again.`);
      const mailbox = addressIn(await prompts.mailbox(answers.mailbox));
      keep({ mailbox });
      const isLogin = loggedIn.connection.user === answers.mailbox;
      const connection = { ...loggedIn.connection, mailbox, ...(isLogin ? { user: mailbox } : {}) };
      const again = isLogin && mailbox !== answers.mailbox ? await askLogin(asking, connection) : null;
      loggedIn = again ?? { ...loggedIn, connection };
      const persona = goodPersona(asking, answers.persona.name, loggedIn.connection);
      answers = { ...answers, ...loggedIn.connection, persona };
    }
  }
}

/**
 * Where the workspace is, and what it says already. Nothing is written over that is wrong, and nobody answers six questions
 * before hearing of it: another folder can be named at once.
 */
async function askFolder(
  { settings: { workspace: named, stateHome } }: CommandContext,
  prompts: Prompts | null,
  given: string | undefined,
): Promise<{ root: string; present: Present }> {
  const home = homedir();
  const last = () => lastStarted(lastStartedFile({ stateHome, home }));
  const usual = workspaceToSetUp({ named, home, isAsked: prompts !== null, lastStarted: last });
  for (;;) {
    const root = folderIn(given ?? (await prompts?.folder(usual)) ?? usual);
    const fault = folderFault(root);
    if (fault !== null) throw new EngineError('usage', fault);
    try {
      return { root, present: presentIn(root) };
    } catch (error) {
      if (!(error instanceof ConfigError) || prompts === null || given !== undefined) throw error;
      log.warn(`${error.problems.map(describeProblem).join('\n')}\nMend that, or name another folder.`);
    }
  }
}

/** The files, the gateway, the owner's first mail. */
async function carryOut(
  asking: SetupUnderWay,
  { answers, loggedIn: { loginOf }, trial, border }: Ready,
  { secrets, waitMs, isAsked }: Pick<ProvenLogin, 'secrets'> & { waitMs: number; isAsked: boolean | null },
) {
  const { context, root, present, prompts, say } = asking;
  const { owner, mailbox, imap, smtp, persona } = answers;
  const known = present.personas.find(({ id }) => id === persona.id)?.file;
  const isItself = persona.address.toLowerCase() === mailbox.toLowerCase();
  if (!isItself && persona.address !== known?.address) await addressTrip(answers, persona.address, loginOf, say);
  const pass = crashPointsOf(context.settings);
  const change = planChange(root, wantedOf(answers, { border, present, secrets }), pass);
  const shown = [
    ...changesShown(change.changes, (context.columns ?? 80) - FRAME_COLUMNS),
    ...(answers.oauth ? ['data/oauth/'] : []),
    ...change.secrets.map((name) => `.env  ${name}`),
  ];
  if (change.files.length === 0) say('Nothing is to be changed.');
  else if (prompts) {
    note(shown.join('\n'), present.isNew ? `Written into ${root}` : `To be written into ${root}`);
    if (!present.isNew && !(await prompts.mayWrite())) {
      forget(root);
      throw new EngineError('cancelled', 'nothing was written');
    }
  }
  writeWorkspace(root, change, present);
  const written = change.files;

  await beforeUpgrade({ root, note: say });
  const workspace = openWorkspace({ root, settings: context.settings, makeLog: () => silentLog });
  try {
    const model = await tryModel(workspace);
    if (isNews(model.answer, isAsked)) say(context.hint(model.words));
    // A script may have written before it waits; a person is shown what comes now.
    const newest = prompts ? await newestReceived(workspace) : 0;
    const { pid } = await startHere(workspace, { ...context, prompts, program: process.argv[1] ?? '' });
    const code = mailCode();
    const { logs, otherwise } = typedHere(context, root);
    say(
      `The gateway runs (process ${pid}; \`${logs}\` shows what it does). Write to ${persona.address} from ${owner} now, with ${code} in the subject: what becomes of that mail is shown here.`,
    );
    const { hops } = trustedServers(present.configs.security.gateway_auth.trusted_received);
    const how = { loginOf, trusted: hops, newId: () => workspace.ids.next() };
    const onUnproven = async (mail: ReceivedShape): Promise<boolean> => {
      if (!prompts) return false;
      const tryBorder = (named: NamedBorder) => checkBorder(answers, { ...how, border: named, person: owner });
      const exchanges = () => exchangesOfMailbox(answers);
      return offerTrust(
        { workspace, connection: answers, trial, prompts, say, owner, code, tryBorder, exchanges },
        mail,
      );
    };
    const became = await watchFirstMail(workspace, { owner, code, newest, ms: waitMs, say, onUnproven });
    const entry = workspace.live.personas().get(persona.id);
    const off = entry?.state === 'ready' ? offInWords(entry.persona, workspace.live.current()) : [];
    if (prompts) sayGoodbye(context, `${ENDINGS[became]}${offLine(off)}`, otherwise);
    const learned = { authserv_id: border.authservId, trusted_received: border.trustedReceived, took_ms: trial.tookMs };
    return {
      workspace: root,
      owner,
      mailbox,
      persona,
      imap,
      smtp,
      trial: learned,
      written,
      model: { name: model.answer.name, model: model.answer.model, ok: model.answer.ok },
      gateway: { pid },
      answered: became === 'answered',
      off,
      first_mail: became,
    };
  } finally {
    await workspace.close();
  }
}

/** The last line of all. */
const offLine = (off: readonly string[]): string =>
  off.length === 0
    ? ''
    : `\nOff, and yours to switch on: ${off.join(', ')}. \`epistle doctor --harness\` names the command for each.`;

function sayGoodbye(context: CommandContext, ending: string, otherwise: string | null): void {
  log.step(context.hint('`epistle service install` has it started with the machine.'));
  if (otherwise !== null) log.step(otherwise);
  outro(context.hint(ending));
}

/** What is typed for the workspace that was made, and what to say where a command that names none finds another one. */
function typedHere(
  context: CommandContext,
  root: string,
): { readonly logs: string; readonly otherwise: string | null } {
  const { program, workspace } = context.settings;
  const lastStarted = () => root;
  const found = workspace ?? workspaceHere({ folder: process.cwd(), home: homedir(), makes: false, lastStarted }).root;
  if (relative(found, root) === '') return { logs: context.command('logs -f'), otherwise: null };
  return {
    logs: commandHere('logs -f', calledAs(program, root)),
    otherwise: `Commands that you type here look at the workspace ${found}. To have them look at the new one, type \`export EPISTLE_WORKSPACE=${root}\`.`,
  };
}

/** One that has answered at its prompt, and still does, needs no second line. */
const isNews = ({ name, ok }: { readonly name: string; readonly ok: boolean }, isAsked: boolean | null): boolean =>
  name !== 'offline' && !(isAsked === true && ok);
