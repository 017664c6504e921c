import { test } from 'vitest';
import findBike from './find_bike';

test('it is described', () => findBike.description.length > 0);
