/** Draws the picture: cards and lines that one can move, and walk along by the arrow keys. */
import '@xyflow/react/dist/base.css';
import Box from '@mui/material/Box';
import useMediaQuery from '@mui/material/useMediaQuery';
import {
  applyNodeChanges,
  Background,
  MiniMap,
  type OnConnectStart,
  Panel,
  Position,
  ReactFlow,
  useReactFlow,
} from '@xyflow/react';
import {
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useTranslate } from '../../translation/use-translate.ts';
import { type CardActions, CardContext, type CardNode, CollectionCard } from './card.tsx';
import { type LineEdge, Markers, markersOf, RelationLine } from './edge.tsx';
import type { PictureCard, PictureEdge } from './graph.ts';
import type { Layout } from './layout.ts';
import { LOOK } from './look.ts';
import { CARD_WIDTH, cardHeight, type Point, rowMiddle } from './size.ts';
import { isArrow, stepFrom } from './walk.ts';

const NODE_TYPES = { card: CollectionCard };
const EDGE_TYPES = { line: RelationLine };
const NEAREST = { minZoom: 0.04, maxZoom: 2 } as const;
const FIT = { padding: 0.08, maxZoom: 1 } as const;
const FILL = { position: 'absolute', inset: 0 } as const;
/** So many cards are seen at once, without an overview. */
const FEW = 12;
const MOVE_MS = 250;
/** The zoom that a card is brought to when it is looked for. */
const READABLE = 0.85;

/** What the buttons around the picture do with it. */
export interface CanvasControl {
  readonly zoomIn: () => void;
  readonly zoomOut: () => void;
  readonly fit: () => void;
  /** Brings a card into sight, and makes it the current one. */
  readonly show: (collection: string) => void;
}

export interface CanvasProps {
  readonly layout: Layout;
  /** Where cards were moved to. */
  readonly moved: Readonly<Record<string, Point>>;
  readonly onMove: (collection: string, place: Point) => void;
  readonly actions: Omit<CardActions, 'wanted'>;
  /** The collection of which a relation is being made. */
  readonly relating: string | null;
  readonly onRelate: (collection: string | null) => void;
  readonly onRelated: (from: string, field: string | null, to: string) => void;
  readonly onOpen: (collection: string) => void;
  readonly onOpenEdge: (edge: PictureEdge) => void;
  readonly titleOf: (edge: PictureEdge) => string;
  readonly control: React.Ref<CanvasControl>;
  readonly children?: ReactNode;
}

function handlesOf(card: PictureCard) {
  const size = { width: 1, height: 1 };
  return card.rows.flatMap(({ field }) => {
    const y = rowMiddle(card, field);
    return [
      { ...size, id: field, type: 'source', position: Position.Right, x: CARD_WIDTH, y } as const,
      { ...size, id: field, type: 'target', position: Position.Left, x: 0, y } as const,
    ];
  });
}

function nodesOf(layout: Layout, moved: CanvasProps['moved']): CardNode[] {
  const { cards, edges } = layout.picture;
  const relations = new Map<string, number>();
  for (const { from, to } of edges) {
    for (const name of new Set([from.collection, to.collection])) {
      relations.set(name, (relations.get(name) ?? 0) + 1);
    }
  }
  return cards.map((card) => {
    const { collection } = card;
    const size = { width: CARD_WIDTH, height: cardHeight(card) };
    return {
      ...{ id: collection, type: 'card', ...size, measured: size, handles: handlesOf(card) },
      position: { ...(moved[collection] ?? layout.cards.get(collection) ?? { x: 0, y: 0 }) },
      data: { card, relations: relations.get(collection) ?? 0 },
    };
  });
}

interface LineOptions {
  readonly active: string | null;
  readonly isMoved: (collection: string) => boolean;
  readonly titleOf: CanvasProps['titleOf'];
}

function linesOf(layout: Layout, { active, isMoved, titleOf }: LineOptions): LineEdge[] {
  return layout.picture.edges.map((edge) => {
    const { id, from, to, kind } = edge;
    const isActive = from.collection === active || to.collection === active;
    const points = isMoved(from.collection) || isMoved(to.collection) ? null : layout.edges.get(id);
    return {
      ...{ id, type: 'line', source: from.collection, sourceHandle: from.field },
      ...{ target: to.collection, targetHandle: to.field, ...markersOf(edge, isActive) },
      className: [kind === 'm2a' ? 'any' : '', isActive ? 'active' : ''].join(' '),
      zIndex: isActive ? 1 : 0,
      data: { edge, points: points ?? null, isActive, title: titleOf(edge) },
    };
  });
}

/** The card under the pointer. */
function cardAt(event: MouseEvent | TouchEvent): string | null {
  const { clientX, clientY } =
    'changedTouches' in event ? (event.changedTouches[0] ?? { clientX: 0, clientY: 0 }) : event;
  const found = document.elementFromPoint(clientX, clientY)?.closest('.react-flow__node');
  return found?.getAttribute('data-id') ?? null;
}

export function Canvas(props: CanvasProps) {
  const { layout, moved, onMove, actions, relating, onRelate, onRelated, onOpen } = props;
  const { onOpenEdge, titleOf, control, children } = props;
  const translate = useTranslate();
  const flow = useReactFlow<CardNode, LineEdge>();
  const still = useMediaQuery('(prefers-reduced-motion: reduce)', { noSsr: true });
  const roomy = useMediaQuery('(min-width: 900px) and (min-height: 600px)', { noSsr: true });
  const [active, setActive] = useState<string | null>(null);
  const [dragged, setDragged] = useState<string | null>(null);
  const [drawing, setDrawing] = useState<{ collection: string; field: string } | null>(null);
  const [nodes, setNodes] = useState(() => nodesOf(layout, moved));
  const [shown, setShown] = useState({ layout, moved });
  const wanted = useRef<string | null>(null);
  const own = useRef<HTMLDivElement>(null);
  const duration = still ? 0 : MOVE_MS;
  if (shown.layout !== layout || shown.moved !== moved) {
    setShown({ layout, moved });
    setNodes(nodesOf(layout, moved));
  }
  const drawn = useMemo(
    () => nodes.map((node) => (node.id === active ? { ...node, selected: true, zIndex: 2 } : node)),
    [nodes, active],
  );
  const edges = useMemo(() => {
    const isMoved = (name: string) => name === dragged || moved[name] !== undefined;
    return linesOf(layout, { active, isMoved, titleOf });
  }, [layout, active, dragged, moved, titleOf]);

  const show = useCallback(
    (collection: string, zoom = Math.max(READABLE, flow.getZoom())) => {
      const node = flow.getNode(collection);
      if (node === undefined) return;
      setActive(collection);
      const { x, y } = node.position;
      const height = Math.min(node.height ?? 0, 400);
      void flow.setCenter(x + CARD_WIDTH / 2, y + height / 2, { zoom, duration });
    },
    [flow, duration],
  );
  /** Goes to a card: at once when it is drawn, else as soon as it is. */
  const focusOn = useCallback(
    (collection: string, zoom?: number) => {
      wanted.current = collection;
      show(collection, zoom);
      const place = `[data-id="${CSS.escape(collection)}"] .card`;
      const card = own.current?.querySelector<HTMLElement>(place);
      if (!card) return;
      wanted.current = null;
      card.focus({ preventScroll: true });
    },
    [show],
  );
  const fit = useCallback(() => void flow.fitView({ ...FIT, duration }), [flow, duration]);
  useImperativeHandle(
    control,
    () => ({
      zoomIn: () => void flow.zoomIn({ duration }),
      zoomOut: () => void flow.zoomOut({ duration }),
      fit,
      show: focusOn,
    }),
    [flow, duration, fit, focusOn],
  );
  // Another picture is seen as a whole, unless only a card of it has opened.
  const last = useRef(layout);
  useEffect(() => {
    if (last.current === layout) return;
    const names = (one: Layout) => one.picture.cards.map(({ collection }) => collection).join('\n');
    const isSame = names(last.current) === names(layout);
    last.current = layout;
    if (!isSame) fit();
    else if (active !== null) show(active, flow.getZoom());
  }, [layout, fit, show, active, flow]);

  const walk = (key: string): boolean => {
    if (!isArrow(key)) return false;
    const places = new Map(nodes.map(({ id, position }) => [id, position]));
    const next =
      active === null || !places.has(active)
        ? nodes[0]?.id
        : stepFrom(active, key, layout.picture.edges, places);
    if (next) focusOn(next, Math.max(flow.getZoom(), 0.5));
    return true;
  };
  const press = (event: KeyboardEvent<HTMLElement>): boolean => {
    const { key, target, currentTarget, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey) return false;
    const onCard = target instanceof HTMLElement && target.classList.contains('card');
    if (key === 'Escape' && relating !== null) onRelate(null);
    else if (key === 'Enter' && onCard && active !== null) {
      if (relating !== null) onRelated(relating, null, active);
      else onOpen(active);
    } else if (key === 'r' && active !== null && (onCard || target === currentTarget)) {
      onRelate(active);
    } else if (key === '+') void flow.zoomIn({ duration });
    else if (key === '-') void flow.zoomOut({ duration });
    else if (key === '0') fit();
    else return walk(key);
    return true;
  };
  const beginLine: OnConnectStart = (_, { nodeId, handleId }) => {
    if (nodeId !== null && handleId !== null) setDrawing({ collection: nodeId, field: handleId });
  };
  const context = useMemo(() => ({ ...actions, wanted }), [actions]);
  const isRelating = relating !== null || drawing !== null;
  return (
    <Box
      ref={own}
      // It is walked through by keys of its own.
      role="application"
      aria-label={translate('picture.canvas')}
      aria-describedby="picture-keys"
      tabIndex={0}
      dir="ltr"
      className={isRelating ? 'relating' : ''}
      sx={LOOK}
      onKeyDown={(event) => {
        if (press(event)) event.preventDefault();
      }}
    >
      <Markers />
      <CardContext value={context}>
        <div style={FILL}>
          <ReactFlow
            nodes={drawn}
            edges={edges}
            // Its licence allows this; a link to another host has no place here.
            proOptions={{ hideAttribution: true }}
            nodeTypes={NODE_TYPES}
            edgeTypes={EDGE_TYPES}
            onNodesChange={(changes) => setNodes((old) => applyNodeChanges(changes, old))}
            onNodeDragStart={(_, { id }) => setDragged(id)}
            onNodeDragStop={(_, { id, position }) => {
              setDragged(null);
              onMove(id, position);
            }}
            onNodeClick={(_, { id }) => {
              if (relating !== null && relating !== id) onRelated(relating, null, id);
              else setActive(id);
            }}
            onPaneClick={() => setActive(null)}
            onEdgeClick={(_, { data }) => data && onOpenEdge(data.edge)}
            onConnectStart={beginLine}
            onConnectEnd={(event) => {
              const to = cardAt(event);
              setDrawing(null);
              if (drawing !== null && to !== null && to !== drawing.collection) {
                onRelated(drawing.collection, drawing.field, to);
              }
            }}
            {...NEAREST}
            fitView
            fitViewOptions={FIT}
            onlyRenderVisibleElements
            disableKeyboardA11y
            nodesFocusable={false}
            edgesFocusable={false}
            elementsSelectable={false}
            nodeDragThreshold={4}
            deleteKeyCode={null}
            selectionKeyCode={null}
            multiSelectionKeyCode={null}
            panActivationKeyCode={null}
            zoomOnDoubleClick={false}
          >
            <Background gap={24} />
            {roomy && nodes.length > FEW && (
              <MiniMap pannable zoomable ariaLabel={translate('picture.overview')} />
            )}
            <Panel position="bottom-left">{children}</Panel>
          </ReactFlow>
        </div>
      </CardContext>
    </Box>
  );
}
