import { BODY_SHAPES } from './bodies.ts';
import { HEADER_SHAPES } from './headers.ts';
import { HTML_SHAPES } from './html.ts';
import type { Shapes } from './shape.ts';
import { TEXT_SHAPES } from './texts.ts';

export const SHAPES: Shapes = { ...HEADER_SHAPES, ...BODY_SHAPES, ...HTML_SHAPES, ...TEXT_SHAPES };
