/** A relation in the picture: a line whose ends tell one from many. */
import { BaseEdge, type Edge, type EdgeProps } from '@xyflow/react';
import { memo } from 'react';
import type { PictureEdge } from './graph.ts';
import { plainRoute, roundPath } from './path.ts';
import type { Point } from './size.ts';

export interface LineData extends Record<string, unknown> {
  readonly edge: PictureEdge;
  /** As it was laid out; null when one of its cards was moved. */
  readonly points: readonly Point[] | null;
  readonly isActive: boolean;
  readonly title: string;
}

export type LineEdge = Edge<LineData, 'line'>;

/** Ids of the signs at the ends, by whether the line is marked. */
export function markersOf({ kind }: PictureEdge, isActive: boolean) {
  const end = isActive ? 'active' : 'plain';
  return {
    markerStart: `picture-many-${end}`,
    markerEnd: `picture-${kind === 'm2m' ? 'many' : 'one'}-${end}`,
  };
}

const SIGNS = {
  many: 'M 3 8 L 15 2 M 3 8 L 15 8 M 3 8 L 15 14',
  one: 'M 7 2 L 7 14',
} as const;

/** The signs, which the lines refer to: a fan for many, a bar for one. */
export function Markers() {
  return (
    <svg width="0" height="0" aria-hidden style={{ position: 'absolute' }}>
      <defs>
        {(['plain', 'active'] as const).flatMap((state) =>
          (['many', 'one'] as const).map((name) => (
            <marker
              key={`${name}-${state}`}
              id={`picture-${name}-${state}`}
              className={state}
              markerUnits="userSpaceOnUse"
              markerWidth="16"
              markerHeight="16"
              viewBox="0 0 16 16"
              refX="15"
              refY="8"
              orient="auto-start-reverse"
            >
              <path d={SIGNS[name]} />
            </marker>
          )),
        )}
      </defs>
    </svg>
  );
}

function Line({ data, markerStart, markerEnd, ...props }: EdgeProps<LineEdge>) {
  const { sourceX, sourceY, targetX, targetY } = props;
  const points = data?.points ?? plainRoute({ x: sourceX, y: sourceY }, { x: targetX, y: targetY });
  return (
    <g>
      <title>{data?.title}</title>
      <BaseEdge
        path={roundPath(points)}
        interactionWidth={16}
        {...(markerStart !== undefined && { markerStart })}
        {...(markerEnd !== undefined && { markerEnd })}
      />
    </g>
  );
}

export const RelationLine = memo(Line);
