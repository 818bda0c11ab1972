export const Row = ({ name, price, features }) => (
  <dl>
    <dt>{name}</dt>
    <dd>{features?.length ?? "no"} features for {price}</dd>
  </dl>
);
