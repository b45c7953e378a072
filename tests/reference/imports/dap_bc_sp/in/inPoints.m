function inPoints
    include_global
O0 = Point_struct; O0.sPlocal = [0; 0.2];
A1 = Point_struct; A1.Bindex = 1;
A2 = Point_struct; A2.Bindex = 2; A2.sPlocal = [0; 0.5];
Points = [O0; A1; A2];
