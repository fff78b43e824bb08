/**
 * Where the cards stand and how the edges run, found by ELK in a worker, so that the page answers
 * meanwhile: of 300 collections it takes a second or two.
 */
import ELK, { type ElkNode } from 'elkjs/lib/elk-api.js';
import workerUrl from 'elkjs/lib/elk-worker.min.js?url';
import { useEffect, useState } from 'react';
import type { Picture } from './graph.ts';
import { CARD_WIDTH, cardHeight, type Point, rowMiddle } from './size.ts';

export interface Layout {
  /** What was laid out. */
  readonly picture: Picture;
  readonly cards: ReadonlyMap<string, Point>;
  /** The corners of each edge, with both ends. */
  readonly edges: ReadonlyMap<string, readonly Point[]>;
}

const OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.direction': 'RIGHT',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.aspectRatio': '1.6',
  'elk.spacing.nodeNode': '36',
  'elk.spacing.edgeNode': '24',
  'elk.spacing.edgeEdge': '12',
  'elk.spacing.componentComponent': '56',
  'elk.layered.spacing.nodeNodeBetweenLayers': '84',
  'elk.layered.spacing.edgeNodeBetweenLayers': '28',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '12',
} as const;

const portId = (side: 'out' | 'in', collection: string, field: string) =>
  JSON.stringify([side, collection, field]);

function elkGraph({ cards, edges }: Picture): ElkNode {
  const ports = new Map<string, Map<string, Point>>();
  const heights = new Map(cards.map((card) => [card.collection, card]));
  const port = (side: 'out' | 'in', collection: string, field: string): string => {
    const id = portId(side, collection, field);
    const card = heights.get(collection);
    const own = ports.get(collection) ?? new Map<string, Point>();
    ports.set(collection, own);
    if (card !== undefined) {
      own.set(id, { x: side === 'out' ? CARD_WIDTH : 0, y: rowMiddle(card, field) });
    }
    return id;
  };
  const elkEdges = edges.map(({ id, from, to }) => ({
    id,
    sources: [port('out', from.collection, from.field)],
    targets: [port('in', to.collection, to.field)],
  }));
  return {
    id: 'model',
    layoutOptions: OPTIONS,
    edges: elkEdges,
    children: cards.map((card) => ({
      id: card.collection,
      width: CARD_WIDTH,
      height: cardHeight(card),
      layoutOptions: { 'elk.portConstraints': 'FIXED_POS' },
      ports: [...(ports.get(card.collection) ?? [])].map(([id, { x, y }]) => ({
        ...{ id, x, y, width: 0, height: 0 },
        layoutOptions: { 'elk.port.side': x === 0 ? 'WEST' : 'EAST' },
      })),
    })),
  };
}

async function layOut(elk: InstanceType<typeof ELK>, picture: Picture): Promise<Layout> {
  const { children = [], edges = [] } = await elk.layout(elkGraph(picture));
  return {
    picture,
    cards: new Map(children.map(({ id, x = 0, y = 0 }) => [id, { x, y }])),
    edges: new Map(
      edges.map(({ id, sections = [] }) => [
        id ?? '',
        sections.flatMap(({ startPoint, bendPoints = [], endPoint }) => [
          startPoint,
          ...bendPoints,
          endPoint,
        ]),
      ]),
    ),
  };
}

export interface LayoutState {
  /** The last one that was finished; that of another picture while the next one is made. */
  readonly layout: Layout | null;
  readonly error: unknown;
}

/** Lays out a picture whenever it is another one. */
export function useLayout(picture: Picture | null): LayoutState {
  const [state, setState] = useState<LayoutState>({ layout: null, error: null });
  const [elk, setElk] = useState<InstanceType<typeof ELK> | null>(null);
  useEffect(() => {
    const made = new ELK({ workerUrl });
    setElk(made);
    return () => made.terminateWorker();
  }, []);
  useEffect(() => {
    if (picture === null || elk === null) return;
    let isWanted = true;
    layOut(elk, picture).then(
      (layout) => {
        if (isWanted) setState({ layout, error: null });
      },
      (error: unknown) => {
        if (isWanted) setState({ layout: null, error });
      },
    );
    return () => {
      isWanted = false;
    };
  }, [picture, elk]);
  return state;
}
