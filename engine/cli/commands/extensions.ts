import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '#contract';
import { listExtension } from '../../actions/set-up/extension-listing.ts';
import { scaffold } from '../../actions/set-up/extension-scaffold.ts';
import { describeProblem, problem } from '../../config/problem.ts';
import type { ExtensionKind, Problem } from '../../config/types.ts';
import { KINDS, type KindFolder } from '../../extensions/find.ts';
import { runningGateway } from '../../queries/gateway/running.ts';
import { extensionsNow, readState } from '../../queries/gateway/state.ts';
import { extensionShape } from '../../queries/shapes.ts';
import type { Workspace } from '../../workspace.ts';
import type { CommandContext, Outcome, Register } from '../command.ts';
import { table } from '../text/table.ts';

export const extensionsCommand: Register = (program, act) => {
  const extensions = program.command('extensions').description('Providers, tools, resolvers and hooks');
  extensions.command('list').description('What is there and what is on').action(act(list));
  extensions.command('check').description('Load them all and say what is wrong').argument('[name]').action(act(check));
  extensions
    .command('new')
    .description('Make the folder of a new one that works, and switch it on')
    .argument('<kind>', 'tool, provider, resolver or hook')
    .argument('<name>', 'lower-case letters, digits and _')
    .action(act(create));
};

type Shape = ReturnType<typeof extensionShape>;

async function list(context: CommandContext): Promise<Outcome> {
  const workspace = context.open({ tolerant: true });
  const { all } = await workspace.extensions();
  const running = runningGateway(workspace);
  const extensions = extensionsNow(all, running && readState(workspace.dataDir, running.pid)).map(extensionShape);
  return { data: { extensions, next: null }, text: asTable(extensions) };
}

const asTable = (extensions: readonly Shape[]): string =>
  table(
    ['KIND', 'NAME', 'SOURCE', 'STATE'],
    extensions.map((one) => [
      one.kind,
      one.name,
      one.source,
      one.error ? `${one.state}: ${one.error.message}` : one.state,
    ]),
    'No extensions.',
  );

async function check(context: CommandContext, name: string | undefined): Promise<Outcome> {
  const workspace = context.open({ tolerant: true });
  const loaded = await workspace.extensions();
  const extensions = loaded.all.map(extensionShape).filter((one) => name === undefined || one.name === name);
  if (extensions.length === 0)
    throw new EngineError('not_found', `no extension is named ${name}; see \`epistle extensions list\``);
  const files = new Set(extensions.flatMap(({ error }) => (error ? [error.file] : [])));
  const ofListing =
    name === undefined ? workspace.live.problems().filter(({ file }) => file.startsWith('extensions/')) : [];
  const problems = [
    ...ofListing,
    ...loaded.problems.filter(({ file }) => name === undefined || files.has(file)),
    ...(await providerProblems(workspace, extensions)),
  ];
  if (problems.length === 0) {
    return { data: { extensions, problems }, text: `${asTable(extensions)}\n\nNothing is wrong.` };
  }
  const message = problems.map(describeProblem).join('; ');
  return {
    data: { extensions, problems, error: { code: 'extension_invalid', message, problems } },
    text: [asTable(extensions), '', ...problems.map((one) => `Wrong: ${describeProblem(one)}`)].join('\n'),
    exitCode: 1,
  };
}

/** A provider's code is loaded at its first use; a check that left that out would praise a broken one. */
async function providerProblems({ currentExtensions }: Workspace, extensions: readonly Shape[]): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const { kind, name, source, state } of extensions) {
    const provider = currentExtensions().providers.get(name);
    if (kind !== 'provider' || source !== 'workspace' || state !== 'loaded' || !provider) continue;
    if (provider.missingSecrets().length > 0) continue;
    try {
      await provider.create();
    } catch (error) {
      const file = `extensions/providers/${name}/manifest.json`;
      const message = error instanceof Error ? error.message : String(error);
      problems.push(problem({ file, code: 'invalid_value', message }));
    }
  }
  return problems;
}

async function create(context: CommandContext, kindName: string, name: string): Promise<Outcome> {
  const { folder, kind } = kindNamed(kindName);
  const pattern = kind === 'tool' ? /^[a-z0-9_]{1,64}$/ : /^[a-z0-9_-]{1,64}$/;
  if (!pattern.test(name)) {
    throw new EngineError(
      'usage',
      `${JSON.stringify(name)} is no name for a ${kind}; take lower-case letters, digits and _`,
    );
  }
  const { root } = context.open({ tolerant: true });
  const path = `extensions/${folder}/${name}`;
  if (existsSync(join(root, path))) throw new EngineError('not_empty', `${path} exists already; choose another name`);
  writeFolder(root, folder, name, scaffold(kind, name));
  listExtension(root, folder, name);
  const created = [...Object.keys(scaffold(kind, name)).map((file) => `${path}/${file}`), 'extensions/extensions.json'];
  return {
    data: { extension: { kind, name, path: join(root, path) }, created },
    text: [
      `Made a ${kind} that works, and listed it:`,
      ...created.map((file) => `  ${file}`),
      '',
      hint(kind, name),
    ].join('\n'),
  };
}

function kindNamed(given: string): { folder: KindFolder; kind: ExtensionKind } {
  const found = KINDS.find(({ folder, kind }) => given === folder || given === kind);
  if (!found) throw new EngineError('usage', `${given} is no kind; expected tool, provider, resolver or hook`);
  return found;
}

/** Renamed when it is whole: a running gateway looks at this folder. Names that begin with a dot are passed over. */
function writeFolder(root: string, folder: KindFolder, name: string, files: Readonly<Record<string, string>>): void {
  const parent = join(root, 'extensions', folder);
  mkdirSync(parent, { recursive: true });
  const staging = mkdtempSync(join(parent, '.new-'));
  try {
    for (const [file, text] of Object.entries(files)) writeFileSync(join(staging, file), text);
    renameSync(staging, join(parent, name));
  } catch (error) {
    rmSync(staging, { recursive: true, force: true });
    throw error;
  }
}

function hint(kind: ExtensionKind, name: string): string {
  switch (kind) {
    case 'tool':
      return `Try it without a model: write a mail with the line  /${name} {"text": "hello"}`;
    case 'provider':
      return `Use it: set "provider": "${name}" in configs/inference.json or in a persona.`;
    case 'resolver':
      return `Use it: {"profiles": {"thread": {"add": ["${name}"]}}} in configs/context.json adds it to the default profile.`;
    case 'hook':
      return 'It is told of every run that ends; see the log of `epistle start`.';
  }
}
