import { constants } from 'node:os';

/** A step of a Dockerfile, as far as ours has any. */
export type Step =
  | { readonly do: 'RUN' | 'CMD' | 'HEALTHCHECK'; readonly command: string }
  | { readonly do: 'WORKDIR' | 'USER' | 'VOLUME' | 'EXPOSE' | 'LABEL'; readonly value: string }
  | { readonly do: 'STOPSIGNAL'; readonly signal: NodeJS.Signals }
  | { readonly do: 'ENV'; readonly variables: Readonly<Record<string, string>> }
  | { readonly do: 'COPY'; readonly from: string | null; readonly source: string; readonly target: string };

export interface Stage {
  readonly image: string;
  readonly name: string | null;
  readonly steps: readonly Step[];
}

/** Pure. The stages of a Dockerfile; throws at whatever is not one of the steps that are replayed. */
export function readDockerfile(text: string): readonly Stage[] {
  const stages: { image: string; name: string | null; steps: Step[] }[] = [];
  for (const line of linesOf(text)) {
    const [, keyword = '', rest = ''] = /^([A-Z]+)\s+(.*)$/s.exec(line) ?? [];
    if (keyword === 'FROM') {
      const [, image = '', name = null] = /^(\S+)(?:\s+AS\s+(\S+))?$/i.exec(rest) ?? [];
      stages.push({ image, name, steps: [] });
      continue;
    }
    const stage = stages.at(-1);
    if (!stage) throw new Error(`nothing comes before FROM: ${line}`);
    stage.steps.push(stepOf(keyword, rest));
  }
  return stages;
}

/** Without comments; a line that ends in a backslash goes on with the next. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

function stepOf(keyword: string, rest: string): Step {
  switch (keyword) {
    case 'RUN':
    case 'CMD':
      if (rest.startsWith('[') && rest.endsWith(']')) throw new Error(`write it for a shell: ${keyword} ${rest}`);
      return { do: keyword, command: rest };
    case 'HEALTHCHECK':
      return { do: keyword, command: rest.slice(rest.indexOf('CMD ') + 4) };
    case 'WORKDIR':
    case 'USER':
    case 'VOLUME':
    case 'EXPOSE':
    case 'LABEL':
      return { do: keyword, value: rest };
    case 'STOPSIGNAL':
      return { do: keyword, signal: signalOf(rest) };
    case 'ENV':
      return { do: keyword, variables: Object.fromEntries(rest.split(/\s+/).map(variableOf)) };
    case 'COPY': {
      const [, from = null, source = '', target = ''] = /^(?:--from=(\S+)\s+)?(\S+)\s+(\S+)$/.exec(rest) ?? [];
      return { do: keyword, from, source, target };
    }
    default:
      throw new Error(`this step is not replayed: ${keyword} ${rest}`);
  }
}

function signalOf(name: string): NodeJS.Signals {
  const known = Object.keys(constants.signals).find((signal): signal is NodeJS.Signals => signal === name);
  if (known === undefined) throw new Error(`there is no such signal: ${name}`);
  return known;
}

function variableOf(pair: string): [string, string] {
  const at = pair.indexOf('=');
  if (at < 1) throw new Error(`write it as NAME=value: ENV ${pair}`);
  return [pair.slice(0, at), pair.slice(at + 1)];
}

/** Pure. Every folder that the Dockerfile makes or copies to; it names no other by its absolute path. */
export const foldersOf = (stages: readonly Stage[]): readonly string[] => [
  ...new Set(
    stages
      .flatMap(({ steps }) => steps)
      .flatMap((step) =>
        step.do === 'WORKDIR' || step.do === 'VOLUME' ? [step.value] : step.do === 'COPY' ? [step.target] : [],
      )
      .filter((path) => path.startsWith('/')),
  ),
];

/** Pure. A command with the folders of the image below another root. Throws where it names any other absolute path. */
export const commandBelow = (command: string, root: string, folders: readonly string[]): string =>
  command.replaceAll(/(?<=^|[\s=])\/[^\s"'*]+/g, (path) => {
    const isOurs = folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
    if (!isOurs) throw new Error(`no WORKDIR, VOLUME or COPY names ${path}: ${command}`);
    return `"${root}"${path}`;
  });
