function inPoints
    include_global
%{
  O is on the ground
%}
O0 = Point_struct;
c = 0.12;
O1 = Point_struct; O1.Bindex = 1; O1.sPlocal = [-c/2; 0];
A1 = Point_struct; A1.Bindex = 1; A1.sPlocal = [c/2, 0]';
A2 = Point_struct; A2.Bindex = 2; A2.sPlocal = [-0.13; 0];
B2 = Point_struct; B2.Bindex = 2; B2.sPlocal = [0.13; 0];
B3 = Point_struct; B3.Bindex = 3;
Points = [O0; O1; A1; A2; B2; B3];
