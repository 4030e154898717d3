import type {
  HarnessProviderAdapter,
  HookDefinition,
  Json,
  JsonSchema,
  Log,
  ModelInfo,
  ResolverDefinition,
  ToolContext,
  ToolDefinition,
} from '#contract';
import type { ExtensionKind, ManifestOf, Persona, Problem } from '../config/types.ts';
import type { Away, ServerPins, ToolChange } from './pins/difference.ts';

/** Why it was switched off while it was in use; null while it is not, absent where nothing watches over it. */
interface Watched {
  readonly failure?: () => string | null;
}

/** One line of `extensions list`. */
export interface ExtensionRecord {
  readonly kind: ExtensionKind | 'mcp';
  readonly name: string;
  readonly source: 'bundled' | 'workspace' | 'package';
  /** The extension's folder, absolute; null for a listed name without a folder, and for an MCP server. */
  readonly path: string | null;
  readonly version: string | null;
  readonly state: 'loaded' | 'disabled' | 'error';
  /** The source of the extension of the same name that this one replaces. */
  readonly replaces: 'bundled' | null;
  readonly error: {
    /** `extension_failed`: it threw later where nobody could catch it; of an MCP server, it cannot be used now. */
    readonly code: 'extension_invalid' | 'extension_failed' | 'not_found';
    readonly message: string;
    readonly file: string;
  } | null;
}

/** Loaded extensions of one kind, by name. Cannot be changed. */
export interface Registry<Entry> {
  get(name: string): Entry | undefined;
  /** Sorted. */
  readonly names: readonly string[];
  /** Sorted by name. */
  all(): readonly Entry[];
  readonly size: number;
}

export type Validation =
  | { readonly ok: true; readonly value: unknown }
  /** `message` says what is wrong, for the model to repair. */
  | { readonly ok: false; readonly message: string };

/**
 * Where tools come from. The folders of extensions are one source, each MCP server is another. Whoever shows, judges or
 * calls a tool sees the tool alone.
 */
export interface ToolSource {
  /** `folders`, or `mcp:<server>`. */
  readonly id: string;
  /** Its tools as they are known now, also those that are not ready. Never waits, never throws. */
  list(): readonly RegisteredTool[];
  /**
   * Finds out what there is to list, where that has to be asked for. Resolves when it was tried once, however that
   * ended; later attempts are not waited for. Never rejects. Null: there is nothing to wait for. `grants`: for whom; one
   * that may use none of its tools waits for nothing and has nothing started. Null: for whoever wants to see all.
   */
  prepare(grants: ToolGrants | null): Promise<void> | null;
  /** What was left out of what it lists and has no name to be shown by, in our words. */
  left(): readonly string[];
  /** Its line of `extensions list`; null for what has one for each of its tools. */
  record(): ExtensionRecord | null;
  /** What its owner has not yet seen of it as it is now; null: all that is known of it. */
  waiting(): WaitingTools | null;
}

/** What a persona may use: names of tools, scopes, `*`. */
export type ToolGrants = Persona['tools'];

/** Tools of a server that are otherwise than an owner has seen them. */
export interface WaitingTools {
  readonly server: string;
  readonly changes: readonly ToolChange[];
  /** All of its tools as they are now. */
  readonly now: ServerPins;
  /** Nothing of it was ever allowed. */
  readonly isNew: boolean;
}

/** What became of an owner's word for the tools of a server. */
export type Allowed =
  | {
      readonly kind: 'pinned';
      readonly pinned: number;
      readonly changes: readonly ToolChange[];
      /** False: it could not be asked whether it still shows them. */
      readonly isReached: boolean;
    }
  /** It shows others by now than the owner was shown: nothing was pinned. */
  | { readonly kind: 'changed' };

export interface RegisteredTool extends Watched {
  readonly name: string;
  /** The source of the tool. `isForeign`: the words of its results are somebody else's; `isBundled`: it came with the gateway. */
  readonly source: { readonly id: ToolSource['id']; readonly isForeign: boolean; readonly isBundled?: true };
  readonly manifest: Pick<ManifestOf<'tool'>, 'name' | 'version' | 'secrets' | 'capabilities' | 'timeout_s'> &
    Partial<Pick<ManifestOf<'tool'>, 'entry'>>;
  /**
   * Why it only stands for a tool that no owner has seen as it is. `known`: an owner has seen its name; else that is the
   * server's word, too. Absent: it is the tool itself.
   */
  readonly away?: { readonly why: Away; readonly server: string; readonly known: boolean };
  /** All that is known of it besides; what it does is `call`. */
  readonly definition: Omit<ToolDefinition, 'run'>;
  /** Makes one call with arguments that `validate` has passed. What it throws is a failure of the call. */
  call(args: unknown, context: ToolContext): Promise<Json>;
  /** The manifest's `config`, merged with extensions.json and validated. */
  readonly config: Json;
  /** By the manifest's keys; one whose variable is unset is absent. A function, so that no dump of a tool shows them. */
  secrets(): Readonly<Record<string, string>>;
  readonly inputSchema: JsonSchema;
  /** Defaults are filled in; the arguments handed in stay as they are. */
  validate(args: unknown): Validation;
  /** Passes everything when the tool declares no `output`. */
  validateOutput(result: unknown): Validation;
  /** Why the tool cannot work here; null when it can. Never throws. */
  ready(): string | null;
}

export interface RegisteredResolver extends Watched {
  readonly name: string;
  readonly manifest: ManifestOf<'resolver'>;
  readonly definition: ResolverDefinition;
  readonly config: Json;
  /** As those of a tool. */
  secrets(): Readonly<Record<string, string>>;
}

export interface RegisteredHook extends Watched {
  /** Why it hears of no event any more, while it still restricts and checks; null: it does. Absent: nothing watches over it. */
  readonly silenced?: () => string | null;
  /** It is to hear of no event any more. */
  readonly silence?: (why: string) => void;
  readonly name: string;
  readonly manifest: ManifestOf<'hook'>;
  readonly definition: HookDefinition;
  readonly config: Json;
  /** As those of a tool. */
  secrets(): Readonly<Record<string, string>>;
  readonly log: Log;
}

export interface RegisteredProvider extends Watched {
  readonly name: string;
  readonly manifest: ManifestOf<'provider'>;
  readonly models: Readonly<Record<string, ModelInfo>>;
  readonly defaultModel: string | null;
  /** For a model that the manifest does not list: 128000 context, 4096 output, tools, no images, no price. */
  modelInfo(modelId: string): ModelInfo;
  /** Names of environment variables that the manifest asks for and that are unset. */
  missingSecrets(): readonly string[];
  /** Where its server is, and by which file that is believed; null where the vendor's own is asked. */
  server(): { readonly url: string; readonly caFile: string | null } | null;
  /**
   * The adapter; its code is imported at the first call and the same adapter returned from then on. Rejects with
   * `extension_invalid` when the code or its config is wrong; a later call tries again.
   */
  create(): Promise<HarnessProviderAdapter>;
}

export interface Extensions {
  readonly providers: Registry<RegisteredProvider>;
  readonly tools: Registry<RegisteredTool>;
  /** Sources of tools; of two tools with one name, that of the earlier source counts. */
  readonly sources: readonly ToolSource[];
  readonly resolvers: Registry<RegisteredResolver>;
  readonly hooks: Registry<RegisteredHook>;
  /** Every extension that was found or listed, by kind and name. */
  readonly all: readonly ExtensionRecord[];
  readonly problems: readonly Problem[];
}
