import { extensionsSchema } from '../../../engine/config/extension-schemas.ts';
import { loadExtensions } from '../../../engine/extensions/loading/load.ts';
import { silentLog } from '../../../engine/lib/log/log.ts';
import { temporaryWorkspace } from '../config/temporary-workspace.ts';

type Files = Readonly<Record<string, object | string>>;

/** Loads what stands in two fresh folders, one as the package's and one as the workspace's `extensions/`. */
export async function loadFrom(options: {
  bundled?: Files;
  workspace?: Files;
  listing?: object;
  secrets?: Readonly<Record<string, string>>;
  importMs?: number;
}) {
  const bundled = temporaryWorkspace(options.bundled);
  const workspace = temporaryWorkspace(options.workspace);
  const load = (listing: object = options.listing ?? {}) =>
    loadExtensions({
      bundledDir: bundled.path,
      workspaceDir: workspace.path,
      listing: extensionsSchema.parse(listing),
      secretOf: (name) => options.secrets?.[name],
      log: silentLog,
      ...(options.importMs === undefined ? {} : { importMs: options.importMs }),
    });
  return { bundled, workspace, load, loaded: await load() };
}

/** The two files of a tool; `code` is the default export. */
export function tool(name: string, code: string, manifest: object = {}): Files {
  return {
    [`tools/${name}/manifest.json`]: { name, kind: 'tool', api: 1, summary: name, entry: 'index.ts', ...manifest },
    [`tools/${name}/index.ts`]: `export default ${code};\n`,
  };
}

/** A tool that works, says `answer` and takes no arguments. */
export const working = (answer: string): string =>
  `{ description: 'Answers', risk: 'read', scope: 'web:read', input: { type: 'object' }, run: () => ${JSON.stringify(answer)} }`;

export function provider(name: string, code: string, manifest: object = {}): Files {
  return {
    [`providers/${name}/manifest.json`]: {
      name,
      kind: 'provider',
      api: 1,
      summary: name,
      entry: 'index.ts',
      ...manifest,
    },
    [`providers/${name}/index.ts`]: `export default ${code};\n`,
  };
}
