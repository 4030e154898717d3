import type { Reading } from '../reading.ts';
import type { Archive } from '../zip/archive.ts';
import { type Attributes, walkXml, type XmlHandler } from '../zip/xml.ts';

/** A part of an Office file that a part names by its id. */
export interface Related {
  readonly target: string;
  /** The last word of its type, such as `slide`. */
  readonly type: string;
  readonly isExternal: boolean;
}

/** The parts that `part` names, by id; empty where it names none. Targets are names in the archive. */
export async function relatedOf(
  archive: Archive,
  part: string,
  reading: Reading,
): Promise<ReadonlyMap<string, Related>> {
  const [, folder = '', file = part] = /^(.*\/)?([^/]*)$/.exec(part) ?? [];
  const found = new Map<string, Related>();
  await readPart(archive, `${folder}_rels/${file}.rels`, reading, {
    open: {
      Relationship({ Id = '', Target = '', Type = '', TargetMode }) {
        const isExternal = TargetMode === 'External';
        const target = isExternal ? Target : resolved(folder, Target);
        found.set(Id, { target, type: Type.slice(Type.lastIndexOf('/') + 1), isExternal });
      },
    },
  });
  return found;
}

/** Reads a part; nothing happens where there is none. */
export async function readPart(archive: Archive, name: string, reading: Reading, handler: XmlHandler): Promise<void> {
  if (archive.has(name)) await walkXml(archive.stream(name), handler, reading);
}

function resolved(folder: string, target: string): string {
  const steps: string[] = [];
  for (const step of (target.startsWith('/') ? target : folder + target).split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps.join('/');
}

/** An attribute under whatever prefix its program gave it. */
export function attribute(attributes: Attributes, name: string): string | undefined {
  for (const [key, value] of Object.entries(attributes)) {
    if (key === name || key.endsWith(`:${name}`)) return value;
  }
  return undefined;
}

/** What the properties of an Office file call it. */
export async function titleOf(
  archive: Archive,
  reading: Reading,
  part = 'docProps/core.xml',
): Promise<{ readonly title?: string }> {
  const title = await textOf(archive, part, 'title', reading);
  return title.trim() === '' ? {} : { title: title.trim() };
}

async function textOf(archive: Archive, part: string, element: string, reading: Reading): Promise<string> {
  let text = '';
  let isInside = false;
  const turn = (to: boolean) => () => {
    isInside = to;
  };
  await readPart(archive, part, reading, {
    open: { [element]: turn(true) },
    close: { [element]: turn(false) },
    text(piece) {
      if (isInside) text += piece;
    },
  });
  return text;
}
