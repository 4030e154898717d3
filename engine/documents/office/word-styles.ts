import type { Reading } from '../reading.ts';
import type { Archive } from '../zip/archive.ts';
import type { Attributes } from '../zip/xml.ts';
import { attribute, readPart } from './package.ts';

export interface WordStyle {
  /** Of a heading, from 1; 0: none. */
  readonly heading: number;
  readonly list: { readonly id: string; readonly level: number } | null;
}

interface Raw {
  name: string;
  basedOn: string;
  outline: number;
  list: string | null;
  level: number;
}

const MAX_CHAIN = 10;

/** The styles of paragraphs, by id, each with what it has of those that it is based on. */
export async function readWordStyles(archive: Archive, reading: Reading): Promise<ReadonlyMap<string, WordStyle>> {
  const raw = new Map<string, Raw>();
  let style: Raw | undefined;
  const within = (take: (style: Raw, value: string) => void) => (attributes: Attributes) => {
    if (style) take(style, attribute(attributes, 'val') ?? '');
  };
  await readPart(archive, 'word/styles.xml', reading, {
    open: {
      style(attributes) {
        style = { name: '', basedOn: '', outline: 0, list: null, level: 0 };
        raw.set(attribute(attributes, 'styleId') ?? '', style);
      },
      name: within((to, value) => {
        to.name = value.toLowerCase();
      }),
      basedOn: within((to, value) => {
        to.basedOn = value;
      }),
      outlineLvl: within((to, value) => {
        to.outline = Number(value) < 9 ? Number(value) + 1 : 0;
      }),
      numId: within((to, value) => {
        to.list = value;
      }),
      ilvl: within((to, value) => {
        to.level = Number(value) || 0;
      }),
    },
    close: {
      style() {
        style = undefined;
      },
    },
  });
  return new Map([...raw.keys()].map((id) => [id, styleOf(chainOf(raw, id))]));
}

function chainOf(raw: ReadonlyMap<string, Raw>, id: string): readonly Raw[] {
  const chain: Raw[] = [];
  for (let at = raw.get(id); at && chain.length < MAX_CHAIN; at = raw.get(at.basedOn)) chain.push(at);
  return chain;
}

function styleOf(chain: readonly Raw[]): WordStyle {
  const name = chain[0]?.name ?? '';
  const named = name === 'title' ? 1 : Number(/^heading (\d)$/.exec(name)?.[1] ?? 0);
  const listed = chain.find(({ list }) => list !== null);
  return {
    heading: named || (chain.find(({ outline }) => outline > 0)?.outline ?? 0),
    list: listed?.list ? { id: listed.list, level: listed.level } : null,
  };
}
