import { EngineError } from '#contract';
import { problem } from '../../config/problems/problem.ts';
import type { Problem } from '../../config/types.ts';
import { toolName } from '../../extensions/mcp/tools.ts';
import type { ToolChange } from '../../extensions/pins/difference.ts';
import type { ExtensionRecord, Extensions, WaitingTools } from '../../extensions/types.ts';
import { fitTools } from '../../models/fitting/fit.ts';
import type { QueryPorts } from '../ports.ts';
import { extensionShape } from '../shapes.ts';
import { defaultProvider, targetOf } from './provider-in-use.ts';
import { runningGateway } from './running.ts';
import { extensionsNow, readState, withLogins } from './state.ts';

/** Every extension, with what only the running gateway knows of it. */
export async function listExtensions(ports: QueryPorts): Promise<readonly ExtensionRecord[]> {
  const { all } = await ports.extensions();
  const running = runningGateway(ports);
  const now = extensionsNow(all, running && readState(ports.dataDir, running.pid));
  return withLogins(now, ports).map(extensionShape);
}

interface Checked {
  readonly extensions: readonly ExtensionRecord[];
  readonly problems: readonly Problem[];
  /** Those that are loaded and lack something here. */
  readonly not_ready: readonly { readonly kind: string; readonly name: string; readonly reason: string }[];
  /** Tools of MCP servers that are otherwise than an owner has allowed them. */
  readonly waiting: readonly WaitingShape[];
  /** Tools that the models in use are not given, or not as they are described. */
  readonly unfit: readonly UnfitTool[];
}

/** A tool that was added, changed or removed: the server's own name for it, and both of its texts. */
export type ToolChangeShape = ToolChange & { readonly tool: string };

export interface WaitingShape {
  readonly server: string;
  /** Nothing of it was ever allowed. */
  readonly is_new: boolean;
  readonly tools: readonly ToolChangeShape[];
}

export const changeShapes = (server: string, changes: readonly ToolChange[]): ToolChangeShape[] =>
  changes.map((change) => ({ tool: toolName(server, change.name), ...change }));

const waitingShape = ({ server, isNew, changes }: WaitingTools): WaitingShape => ({
  server,
  is_new: isNew,
  tools: changeShapes(server, changes),
});

/** What each server shows otherwise than it was allowed, as far as its list is known. */
const waitingTools = ({ sources }: Extensions): WaitingShape[] =>
  sources.flatMap((source) => {
    const waiting = source.waiting();
    return waiting === null ? [] : [waitingShape(waiting)];
  });

/** Those of the name, or all, with what is wrong with them. Throws `not_found`. */
export async function checkExtensions(ports: QueryPorts, name: string | undefined): Promise<Checked> {
  await ports.extensions();
  await ports.prepareTools(null);
  const loaded = ports.currentExtensions();
  const extensions = loaded.all.map(extensionShape).filter((one) => name === undefined || one.name === name);
  if (extensions.length === 0) {
    throw new EngineError('not_found', `no extension is named ${name}; see \`epistle extensions list\``);
  }
  const files = new Set(extensions.flatMap(({ error }) => (error ? [error.file] : [])));
  const ofListing =
    name === undefined ? ports.live.problems().filter(({ file }) => file.startsWith('extensions/')) : [];
  const problems = [
    ...ofListing,
    ...loaded.problems.filter(({ file, key }) => name === undefined || files.has(file) || key === `mcp.${name}`),
    ...(await providerProblems(ports, extensions)),
    ...serverProblems(extensions),
  ];
  const not_ready = extensions
    .filter(({ state, source }) => state === 'loaded' && source !== 'bundled')
    .flatMap(({ kind, name: one }) => {
      const reason = unreadyReason(loaded, kind, one);
      return reason === null ? [] : [{ kind, name: one, reason }];
    });
  const waiting = waitingTools(loaded).filter(({ server }) => name === undefined || server === name);
  const names = new Set(extensions.map((one) => one.name));
  const unfit = unfitTools(ports).filter(
    ({ tool }) => name === undefined || names.has(tool) || tool.startsWith(`${name}_`),
  );
  return { extensions, problems, not_ready, waiting, unfit };
}

/** Why it cannot work here although it is loaded. */
function unreadyReason(loaded: Extensions, kind: string, name: string): string | null {
  const unset = unsetSecrets(loaded, kind, name);
  if (unset.length > 0) return `${unset.join(', ')} ${unset.length === 1 ? 'is' : 'are'} not set`;
  return kind === 'tool' ? (loaded.tools.get(name)?.ready() ?? null) : null;
}

/** The environment names that its manifest declares and that are not set. */
export function unsetSecrets(
  { tools, providers, hooks, resolvers }: Extensions,
  kind: string,
  name: string,
): readonly string[] {
  if (kind === 'provider') return providers.get(name)?.missingSecrets() ?? [];
  const tool = kind === 'tool' ? tools.get(name) : undefined;
  const keeper = tool ?? (kind === 'hook' ? hooks.get(name) : kind === 'resolver' ? resolvers.get(name) : undefined);
  if (!keeper) return [];
  return Object.entries(keeper.manifest.secrets).flatMap(([key, variable]) =>
    key in keeper.secrets() ? [] : [variable],
  );
}

/** What a server does is known since its tools were asked for. */
const serverProblems = (extensions: readonly ExtensionRecord[]): Problem[] =>
  extensions.flatMap(({ kind, error }) =>
    kind === 'mcp' && error !== null
      ? [problem({ file: error.file, key: 'mcp', code: 'invalid_value', message: error.message })]
      : [],
  );

/** A provider's code is loaded at its first use; a check that left that out would praise a broken one. */
async function providerProblems(
  { currentExtensions }: QueryPorts,
  extensions: readonly ExtensionRecord[],
): Promise<Problem[]> {
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

/** A tool that the models of a provider are not given, or not as its extension describes it. */
interface UnfitTool {
  readonly provider: string;
  readonly tool: string;
  readonly left_out: boolean;
  readonly reason: string;
}

/** What the vendors that are in use do not take of the tools that extensions declare. */
export function unfitTools(ports: Pick<QueryPorts, 'live' | 'environment' | 'currentExtensions'>): UnfitTool[] {
  const loaded = ports.currentExtensions();
  const used = [...ports.live.personas().all()].flatMap((entry) =>
    entry.state === 'ready' ? [targetOf(ports, entry.persona).provider] : [],
  );
  return [...new Set([defaultProvider(ports), ...used])].sort().flatMap((name) => unfitFor(loaded, name));
}

function unfitFor({ tools, providers }: Extensions, provider: string): UnfitTool[] {
  const rules = providers.get(provider)?.manifest.fits;
  // That one reads no tools at all.
  if (!rules || provider === 'offline') return [];
  const all = tools.all().filter(({ away }) => away === undefined);
  const isOwn = (name: string) => tools.get(name)?.source.isBundled === true;
  return all.flatMap(({ name, definition: { description }, inputSchema }): UnfitTool[] => {
    if (isOwn(name)) return [];
    const given = [{ name, description, inputSchema }];
    const fitted = fitTools(given, { rules, plain: 0, contextTokens: 0, isOwn });
    const [out] = fitted.leftOut;
    if (out) return [{ provider, tool: name, left_out: true, reason: out.why }];
    if (fitted.tools === given) return [];
    return [
      {
        provider,
        tool: name,
        left_out: false,
        reason: 'it is described in the part of JSON Schema that the vendor takes',
      },
    ];
  });
}
