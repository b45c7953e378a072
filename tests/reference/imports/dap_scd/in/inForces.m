function inForces
    include_global
S1 = Force_struct; S1.type = 'ptp'; S1.iPindex = 1; S1.jPindex = 6; S1.k = 20; S1.L0 = 0.6;
S2 = Force_struct; S2.type = 'weight';
Forces = [S1; S2];
