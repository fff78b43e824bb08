/** How the picture looks. Its cards are plain elements: hundreds of them share this one style. */
import type { SxProps, Theme } from '@mui/material/styles';
import { HEAD_HEIGHT, ROW_HEIGHT } from './size.ts';

export const LOOK: SxProps<Theme> = (theme) => {
  const { palette } = theme;
  const line = palette.mode === 'dark' ? '#7b8494' : '#8a93a3';
  const focusRing = { outline: `2px solid ${palette.primary.main}`, outlineOffset: 1 };
  return {
    ...{ flex: 1, minHeight: 320, position: 'relative', overflow: 'hidden' },
    ...{ bgcolor: 'background.default', borderTop: 1, borderColor: 'divider' },
    // The focus of the picture itself is seen inside its edge.
    '&:focus-visible': { ...focusRing, outlineOffset: -3 },
    '--xy-background-color': palette.background.default,
    '--xy-background-pattern-color': palette.divider,
    '--xy-edge-stroke-width-default': 1.5,
    '--xy-edge-stroke': line,
    '--xy-connectionline-stroke': palette.primary.main,
    '--xy-connectionline-stroke-width': 2,
    '--xy-minimap-background-color': palette.background.paper,
    '--xy-minimap-mask-background-color':
      palette.mode === 'dark' ? 'rgba(0, 0, 0, 0.45)' : 'rgba(20, 25, 40, 0.12)',
    '--xy-minimap-node-background-color': line,
    '--xy-attribution-background-color': 'transparent',
    '& .react-flow__attribution a': { color: palette.text.secondary, fontSize: 10 },
    '& .react-flow__edge-path': { strokeLinecap: 'round' },
    '& .react-flow__edge.any .react-flow__edge-path': { strokeDasharray: '5 4' },
    '& .react-flow__edge.active .react-flow__edge-path': {
      ...{ stroke: palette.primary.main, strokeWidth: 2.5 },
    },
    '& .react-flow__edge:hover .react-flow__edge-path': { stroke: palette.primary.main },
    '& marker path': { fill: 'none', stroke: line, strokeWidth: 1.5 },
    '& marker.active path': { stroke: palette.primary.main, strokeWidth: 2 },
    '& .react-flow__minimap': { border: `1px solid ${palette.divider}`, borderRadius: '8px' },
    '& .card': {
      ...{
        position: 'relative',
        height: '100%',
        boxSizing: 'border-box',
        overflow: 'hidden',
        borderRadius: '8px',
      },
      ...{ bgcolor: 'background.paper', border: `1px solid ${palette.divider}`, cursor: 'grab' },
      boxShadow: palette.mode === 'dark' ? 'none' : '0 1px 3px rgba(20, 25, 40, 0.08)',
      // Room for the handles, which stand on its edge.
      contain: 'style',
    },
    '& .card.active': {
      borderColor: palette.primary.main,
      boxShadow: `0 0 0 1px ${palette.primary.main}`,
    },
    '& .card:focus-visible': focusRing,
    '&.relating .card:hover': { borderColor: palette.primary.main, cursor: 'crosshair' },
    '& .card .head': {
      ...{ display: 'flex', alignItems: 'center', height: HEAD_HEIGHT, boxSizing: 'border-box' },
      borderBottom: `1px solid ${palette.divider}`,
      ...{ bgcolor: palette.mode === 'dark' ? 'rgba(255,255,255,0.03)' : 'rgba(20,25,40,0.025)' },
    },
    '& .card a': {
      ...{ color: 'inherit', textDecoration: 'none', display: 'flex', alignItems: 'center' },
      ...{ flex: 1, minWidth: 0, gap: '8px', paddingInline: '10px', height: '100%' },
    },
    '& .card a:focus-visible, & .card button:focus-visible': {
      ...{ ...focusRing, outlineOffset: -2, borderRadius: '6px' },
    },
    '& .card .head strong': {
      ...{ fontSize: 14, fontWeight: 650, overflow: 'hidden', textOverflow: 'ellipsis' },
      whiteSpace: 'nowrap',
    },
    '& .card .head svg': { fontSize: 19, color: palette.text.secondary, flex: 'none' },
    '& .card .head a:hover strong': { textDecoration: 'underline' },
    '& .card button': {
      ...{ font: 'inherit', color: palette.text.secondary, background: 'none', border: 0 },
      cursor: 'pointer',
    },
    '& .card .menu': {
      ...{ width: 30, height: 30, padding: 0, marginInlineEnd: '6px', borderRadius: '6px' },
      ...{ display: 'grid', placeItems: 'center' },
      '&:hover': { bgcolor: palette.action.hover },
    },
    '& .card ul': { listStyle: 'none', margin: 0, padding: 0 },
    '& .card .row': {
      ...{ position: 'relative', height: ROW_HEIGHT, fontSize: 12.5, display: 'flex' },
      ...{ alignItems: 'center' },
      '& svg': { fontSize: 15, color: palette.text.secondary, flex: 'none' },
      '& a:hover': { bgcolor: palette.action.hover },
    },
    '& .card .row[data-kind=key] svg': { color: palette.warning.main },
    '& .card .row[data-kind=relation] svg': { color: palette.primary.main },
    '& .card .name': {
      ...{ flex: 1, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
      '& i': { color: palette.error.main, fontStyle: 'normal', marginInlineStart: '2px' },
    },
    '& .card .type': { fontSize: 11, color: palette.text.secondary, flex: 'none' },
    '& .card .more': {
      ...{ flex: 1, textAlign: 'start', paddingInline: '33px 10px', height: '100%', fontSize: 12 },
      '&:hover': { bgcolor: palette.action.hover },
    },
    '& .card .react-flow__handle': {
      ...{ width: 12, height: 12, border: `2px solid ${palette.background.paper}` },
      ...{ backgroundColor: palette.primary.main, opacity: 0, zIndex: 1 },
      // Inside of the card, which cuts off what is outside.
      transform: 'translate(0, -50%)',
    },
    '& .card .end': { position: 'absolute', width: 0, height: 1, pointerEvents: 'none' },
    '& .card .row:hover .react-flow__handle, & .react-flow__handle.connectingfrom': { opacity: 1 },
    '& .card.far .head': { height: '100%', border: 0, justifyContent: 'center' },
    '& .card.far .head a': { paddingInline: '12px', justifyContent: 'center' },
    '& .card.far .head strong': {
      ...{ fontSize: 30, whiteSpace: 'normal', overflowWrap: 'anywhere', textAlign: 'center' },
      ...{ lineHeight: 1.15, maxHeight: '100%' },
    },
    '& .card.far .head svg': { display: 'none' },
  };
};
